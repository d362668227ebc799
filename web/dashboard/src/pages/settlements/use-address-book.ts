import { useApi } from "../../api/queries.ts";
import type { SettlementDestinationItem } from "../../api/records.ts";

export const BOOK_PATH = "/v1/settlement-destinations?limit=100";

export function useAddressBook(): readonly SettlementDestinationItem[] {
  return useApi<{ data: SettlementDestinationItem[] }>(BOOK_PATH).data?.body.data ?? [];
}

/** Whether settlements may go there already. */
export function isReady({ usableAt }: SettlementDestinationItem, now = Date.now()): boolean {
  return Date.parse(usableAt) <= now;
}
