import type { UseQueryResult } from "@tanstack/react-query";
import { useApi } from "../../api/queries.ts";
import type { BalanceList } from "../../api/records.ts";
import type { Answer } from "../../api/send.ts";

const LIMIT = 100;

/** A page of the wallets; the first one without the end of another. */
export function useBalances(after?: string): UseQueryResult<Answer<BalanceList>, Error> {
  const query = new URLSearchParams({ limit: String(LIMIT), ...(after && { after }) });
  return useApi(`/v1/balances?${query}`, { keepsPrevious: true });
}
