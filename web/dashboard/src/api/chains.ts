// How far the chains are followed, read by their page, by Home and by the line below the navigation.
import type { UseQueryResult } from "@tanstack/react-query";
import { useApi } from "./queries.ts";
import type { ChainHealth } from "./records.ts";
import type { Answer } from "./send.ts";

export const HEALTH_PATH = "/v1/chains/health";
const STALE_MS = 10_000;
const AGAIN_MS = 60_000;

export function useChainHealth(isWanted = true): UseQueryResult<Answer<ChainHealth[]>, Error> {
  return useApi(HEALTH_PATH, { staleMs: STALE_MS, refetchMs: AGAIN_MS, isWanted });
}

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

export function formatSeconds(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds >= 2 * size) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}
