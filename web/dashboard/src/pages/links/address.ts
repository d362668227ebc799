// What the address of the page may say: the filters of payments that make sense for links.
import { paymentFilters } from "../../api/filters.ts";

const { status, orderId, chainId, createdFrom, createdTo } = paymentFilters;
export const linkFilters = { status, orderId, chainId, createdFrom, createdTo } as const;
