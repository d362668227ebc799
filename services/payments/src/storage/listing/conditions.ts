// The filters of a list of payments, as SQL. The kept totals know the coarse conditions, too; each fine condition has an
// index of its own over the few rows that it finds.
import { anyCondition, type Condition, condition } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { type Address, parseAddress, parseTxHash, type TxHash } from "@pay/values";

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

/** A place in a list, from which it goes on. */
export interface Position {
  id: string;
  created_at: Date;
}

/** A period, from the first inclusive to the last exclusive; absent: without that end. */
export interface Stretch {
  from: Date | undefined;
  before: Date | undefined;
}

export function tenantIs({ projectId, mode }: Tenant): Condition[] {
  return [
    { text: "project_id = ?", values: [projectId] },
    { text: "mode = ?::smallint", values: [mode] },
  ];
}

export function coarse({ statuses, variant, chainId }: Filter): Condition[] {
  return [
    ...condition("variant = ?::smallint", variant),
    ...condition("status = any(?::text[])", statuses.length > 0 ? statuses : undefined),
    ...condition("chain_id = ?::bigint", chainId?.toString()),
  ];
}

export function fine(tenant: Tenant, filter: Filter): Condition[] {
  return [
    ...textIs("order_id", tenant, filter.orderId),
    ...(filter.txHash === undefined ? [] : bytesAre("tx_hash", tenant, parseTxHash(filter.txHash))),
    ...textIs("customer_id", tenant, filter.customerId),
    ...ownedBy(tenant, filter.owner),
  ];
}

export function hasFine({ orderId, txHash, customerId, owner }: Filter): boolean {
  return [orderId, txHash, customerId, owner].some((value) => value !== undefined);
}

// The indexes hold payment_key of tenant and value; the column itself decides.
const KEY = "payment_key(?, ?::smallint, ?)";

function textIs(
  column: string,
  { projectId, mode }: Tenant,
  value: string | undefined,
): Condition[] {
  if (value === undefined) return [];
  return [
    { text: `payment_key(project_id, mode, ${column}) = ${KEY}`, values: [projectId, mode, value] },
    { text: checked(`${column} = ?`), values: [value] },
  ];
}

/** Holds for no row where a text was not a hash or a wallet. */
function bytesAre(
  column: string,
  { projectId, mode }: Tenant,
  value: Address | TxHash | undefined,
): Condition[] {
  if (value === undefined) return [{ text: "false", values: [] }];
  const key = `payment_key(project_id, mode, encode(${column}, 'hex')) = ${KEY}`;
  return [
    { text: key, values: [projectId, mode, value.slice("0x".length)] },
    {
      text: checked(`${column} = ?::bytea`),
      values: [Buffer.from(value.slice("0x".length), "hex")],
    },
  ];
}

// The planner has no statistics for a partial index and multiplies the shares of conditions. With all of them in view it
// takes the tenant's whole key beside the index, or sorts what the index has in order, so it sees the condition on the index.
function checked(text: string): string {
  return `case when ${text} then true end`;
}

/** Conditions that all hold; the planner finds no index for them. */
export function checkedAll(conditions: readonly Condition[]): Condition {
  return {
    text: checked(conditions.map(({ text }) => text).join(" and ")),
    values: conditions.flatMap(({ values }) => values),
  };
}

export function created({ from, before }: Stretch): Condition[] {
  return [
    ...condition("created_at >= ?::timestamptz", from),
    ...condition("created_at < ?::timestamptz", before),
  ];
}

function matchCustomers({ projectId, mode }: Tenant, ids: readonly string[]): Condition[] {
  const keys = "array(select payment_key(?, ?::smallint, id) from unnest(?::text[]) id)";
  return [
    {
      text: `payment_key(project_id, mode, customer_id) = any(${keys})`,
      values: [projectId, mode, ids],
    },
    { text: checked("customer_id = any(?::text[])"), values: [ids] },
  ];
}

/** The two times of a filter have a precision of one millisecond, and the list includes both. */
export function toStretch({ createdFrom, createdTo }: Filter): Stretch {
  return {
    from: createdFrom,
    before: createdTo && new Date(createdTo.getTime() + 1),
  };
}

/** A shopper without a wallet and customers owns no payment. */
export function ownedBy(tenant: Tenant, owner: Filter["owner"]): Condition[] {
  if (owner === undefined) return [];
  const { walletAddress, customerIds } = owner;
  const sides = [
    // The proven sender is the payer, too.
    walletAddress === "" ? [] : bytesAre("payer_address", tenant, parseAddress(walletAddress)),
    customerIds.length === 0 ? [] : matchCustomers(tenant, customerIds),
  ];
  return [anyCondition(sides.filter((side) => side.length > 0).map(bothConditions))];
}

function bothConditions(conditions: readonly Condition[]): Condition {
  return {
    text: `(${conditions.map(({ text }) => text).join(" and ")})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
