// The filters of a list, as SQL. Stored counts have the coarse conditions, too; each fine condition has its own index;
// the others are checked row by row (search.ts).
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
  /** Payments of one customer, by wallet or by customer record. */
  owner?: { walletAddress: string; customerIds: string[] } | undefined;
  payerAddress?: string | undefined;
  needs?: string | undefined;
  source?: string | undefined;
  currency?: string | undefined;
  recipientAddress?: string | undefined;
  amountFrom?: string | undefined;
  amountTo?: string | undefined;
  failureCode?: string | undefined;
  refunded?: boolean | undefined;
}

export interface Position {
  id: string;
  created_at: Date;
}

/** From inclusive to exclusive; absent: without that end. */
export interface Period {
  from: Date | undefined;
  before: Date | undefined;
}

export function tenantIs({ projectId, mode }: Tenant): Condition[] {
  return [
    { text: "project_id = ?", values: [projectId] },
    { text: "mode = ?::smallint", values: [mode] },
  ];
}

export function buildCoarse({ statuses, variant, chainId }: Filter): Condition[] {
  return [
    ...condition("variant = ?::smallint", variant),
    ...condition("status = any(?::text[])", statuses.length > 0 ? statuses : undefined),
    ...condition("chain_id = ?::bigint", chainId?.toString()),
  ];
}

export function buildFine(tenant: Tenant, filter: Filter): Condition[] {
  return [
    ...textEquals("order_id", tenant, filter.orderId),
    ...(filter.txHash === undefined
      ? []
      : bytesEqual("tx_hash", tenant, parseTxHash(filter.txHash))),
    ...textEquals("customer_id", tenant, filter.customerId),
    ...textEquals("needs", tenant, filter.needs),
    ...textEquals("source", tenant, getStoredSource(filter)),
    ...(filter.payerAddress === undefined
      ? []
      : bytesEqual(PAYER, tenant, parseAddress(filter.payerAddress))),
    ...ownerIs(tenant, filter.owner),
  ];
}

export function hasFineFilter(filter: Filter): boolean {
  const { orderId, txHash, customerId, owner, payerAddress, needs } = filter;
  const values = [orderId, txHash, customerId, owner, payerAddress, needs, getStoredSource(filter)];
  return values.some((value) => value !== undefined);
}

/** Keys create nearly all payments, so only another source is stored. */
export const UNSTORED_SOURCE = "api";

export function getStoredSource({ source }: Filter): string | undefined {
  return source === UNSTORED_SOURCE ? undefined : source;
}

// The indexes hold payment_key of tenant and value; the column itself decides.
const KEY = "payment_key(?, ?::smallint, ?)";

function textEquals(
  column: string,
  { projectId, mode }: Tenant,
  value: string | undefined,
): Condition[] {
  if (value === undefined) return [];
  return [
    { text: `payment_key(project_id, mode, ${column}) = ${KEY}`, values: [projectId, mode, value] },
    { text: check(`${column} = ?`), values: [value] },
  ];
}

/** An invalid hash or wallet matches no row. */
function bytesEqual(
  column: string,
  { projectId, mode }: Tenant,
  value: Address | TxHash | undefined,
): Condition[] {
  if (value === undefined) return [{ text: "false", values: [] }];
  const key = `payment_key(project_id, mode, encode(${column}, 'hex')) = ${KEY}`;
  return [
    { text: key, values: [projectId, mode, value.slice("0x".length)] },
    {
      text: check(`${column} = ?::bytea`),
      values: [Buffer.from(value.slice("0x".length), "hex")],
    },
  ];
}

// The planner has no statistics for a partial index and multiplies the shares of conditions. So it sees only the
// condition of the index; with all of them it would combine two indexes or sort.
function check(text: string): string {
  return `case when ${text} then true end`;
}

/** Conditions that all hold; the planner finds no index for them. */
export function checkAll(conditions: readonly Condition[]): Condition {
  return {
    text: check(conditions.map(({ text }) => text).join(" and ")),
    values: conditions.flatMap(({ values }) => values),
  };
}

export function createdWithin({ from, before }: Period): Condition[] {
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
    { text: check("customer_id = any(?::text[])"), values: [ids] },
  ];
}

/** A list includes both times of its filter, which have a precision of one millisecond. */
export function getPeriod({ createdFrom, createdTo }: Filter): Period {
  return {
    from: createdFrom,
    before: createdTo && new Date(createdTo.getTime() + 1),
  };
}

/** The wallet that paid, else the one that wants to. */
const PAYER = "coalesce(sender_address, payer_address)";

/** A customer without a wallet and a record owns no payment. */
export function ownerIs(tenant: Tenant, owner: Filter["owner"]): Condition[] {
  if (owner === undefined) return [];
  const { walletAddress, customerIds } = owner;
  const sides = [
    walletAddress === "" ? [] : bytesEqual(PAYER, tenant, parseAddress(walletAddress)),
    customerIds.length === 0 ? [] : matchCustomers(tenant, customerIds),
  ];
  return [anyCondition(sides.filter((side) => side.length > 0).map(joinAnd))];
}

function joinAnd(conditions: readonly Condition[]): Condition {
  return {
    text: `(${conditions.map(({ text }) => text).join(" and ")})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
