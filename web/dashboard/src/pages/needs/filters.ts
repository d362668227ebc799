import type { NeedFilters } from "../../api/needs.ts";

export function parseNeedFilters({ taken, after }: Record<string, unknown>): NeedFilters {
  return {
    ...((taken === "me" || taken === "nobody") && { taken }),
    ...(typeof after === "string" && { after }),
  };
}
