// The filters of a list of payments, as SQL. The kept totals know the coarse conditions, too; each fine condition has an
// index of its own over the few rows that it finds.
import { anyOf, type Condition, condition } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { type Address, parseAddress, parseTxHash, type TxHash } from "@pay/values";
import type { Status } from "../../domain/payment.ts";
import { bytesOf } from "../columns.ts";

/** The filter of a list; an absent field is no condition. */
export interface Filter {
  statuses: string[];
  variant?: number | undefined;
  orderId?: string | undefined;
  chainId?: bigint | undefined;
  txHash?: string | undefined;
  customerId?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  /** Only what belongs to one shopper: by wallet or by customer record. */
  owner?: { walletAddress: string; customerIds: string[] } | undefined;
}

/** A period, from the first inclusive to the last exclusive; absent: without that end. */
export interface Stretch {
  from: Date | undefined;
  before: Date | undefined;
}

export const VARIANTS: readonly number[] = [1, 2];
export const STATUSES: readonly string[] = Object.keys({
  created: true,
  pending: true,
  processing: true,
  confirmed: true,
  failed: true,
  expired: true,
  refunded: true,
} satisfies Record<Status, true>);

export function tenantIs({ projectId, mode }: Tenant): Condition[] {
  return [
    { text: "project_id = ?", values: [projectId] },
    { text: "mode = ?::smallint", values: [mode] },
  ];
}

export function coarse({ statuses, variant, chainId }: Filter): Condition[] {
  return [
    ...oneOf("variant", "smallint", variant === undefined ? VARIANTS : [variant]),
    ...(statuses.length > 0 ? oneOf("status", "text", statuses) : []),
    ...condition("chain_id = ?::bigint", chainId?.toString()),
  ];
}

// With one value the index also gives the order.
function oneOf(column: string, type: string, values: readonly unknown[]): Condition[] {
  return values.length === 1
    ? [{ text: `${column} = ?::${type}`, values: [...values] }]
    : [{ text: `${column} = any(?::${type}[])`, values: [values] }];
}

export function fine(filter: Filter): Condition[] {
  return [
    ...condition("order_id = ?", filter.orderId),
    ...(filter.txHash === undefined ? [] : bytesAre("tx_hash", parseTxHash(filter.txHash))),
    ...condition("customer_id = ?", filter.customerId),
    ...ownedBy(filter.owner),
  ];
}

/** Holds for no row where a text was not a hash or a wallet. */
function bytesAre(column: string, value: Address | TxHash | undefined): Condition[] {
  if (value === undefined) return [{ text: "false", values: [] }];
  return condition(`${column} = ?::bytea`, bytesOf(value));
}

export function created({ from, before }: Stretch): Condition[] {
  return [
    ...condition("created_at >= ?::timestamptz", from),
    ...condition("created_at < ?::timestamptz", before),
  ];
}

/** The two times of a filter have a precision of one millisecond, and the list includes both. */
export function stretchOf({ createdFrom, createdTo }: Filter): Stretch {
  return {
    from: createdFrom,
    before: createdTo && new Date(createdTo.getTime() + 1),
  };
}

/** A shopper without a wallet and customers owns no payment. */
export function ownedBy(owner: Filter["owner"]): Condition[] {
  if (owner === undefined) return [];
  const { walletAddress, customerIds } = owner;
  const sides = [
    // The proven sender is the payer, too.
    ...(walletAddress === "" ? [] : bytesAre("payer_address", parseAddress(walletAddress))),
    ...(customerIds.length === 0 ? [] : condition("customer_id = any(?::text[])", customerIds)),
  ];
  return [anyOf(sides)];
}
