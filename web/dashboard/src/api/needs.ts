// What waits for a person, read by the page and by the count beside it.
import type { UseQueryResult } from "@tanstack/react-query";
import { useApi } from "./queries.ts";
import type { NeedList } from "./records.ts";
import type { Answer } from "./send.ts";
import { hasScope, useWorkspace } from "./session.ts";

const LIMIT = 100;
const COUNT_MS = 60_000;
const STALE_MS = 30_000;

export interface NeedFilters {
  taken?: "me" | "nobody" | undefined;
  after?: string | undefined;
}

export function useNeeds(
  filters: NeedFilters = {},
  isWanted = true,
): UseQueryResult<Answer<NeedList>, Error> {
  const query = new URLSearchParams({ limit: String(LIMIT) });
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) query.set(name, value);
  }
  return useApi(`/v1/needs?${query}`, { staleMs: STALE_MS, refetchMs: COUNT_MS, isWanted });
}

/** Undefined where nothing waits. */
export function useNeedsCount(): string | undefined {
  const { data } = useNeeds({}, hasScope(useWorkspace(), "payments:read"));
  if (data === undefined || data.body.data.length === 0) return undefined;
  const isMore = data.headers.get("X-Next-After") !== null;
  return isMore ? `${LIMIT - 1}+` : String(data.body.data.length);
}
