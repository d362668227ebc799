import type { Payment } from "@pay/proto";
import { NEEDS, type Needs } from "@pay/values";

export { NEEDS };

/** Null too for what a later version of the payments service says. */
export function needsOf({ needs }: Payment): Needs | null {
  return NEEDS.find((one) => one === needs) ?? null;
}
