// What narrows a list of payments, as SQL. Coarse conditions are those the kept totals know, too; fine ones each
// have an index of their own over the few rows they find.
import type { Tenant } from "@pay/rpc";

/** Narrows a list; what is absent is no condition. */
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

/** Of time, from the first inclusive to the last exclusive; absent: without that end. */
export interface Stretch {
  from: Date | undefined;
  before: Date | undefined;
}

export interface Condition {
  /** SQL with a ? for each value, in order. */
  text: string;
  values: unknown[];
}

export const VARIANTS: readonly number[] = [1, 2];

export const tenantIs = ({ projectId, mode }: Tenant): Condition[] => [
  { text: "project_id = ?", values: [projectId] },
  { text: "mode = ?::smallint", values: [mode] },
];

export const coarse = ({ statuses, variant, chainId }: Filter): Condition[] => [
  ...oneOf("variant", "smallint", variant === undefined ? VARIANTS : [variant]),
  ...(statuses.length > 0 ? oneOf("status", "text", statuses) : []),
  ...given("chain_id = ?::bigint", chainId?.toString()),
];

// Equality with one value lets an index give the order, too.
const oneOf = (column: string, type: string, values: readonly unknown[]): Condition[] =>
  values.length === 1
    ? [{ text: `${column} = ?::${type}`, values: [...values] }]
    : [{ text: `${column} = any(?::${type}[])`, values: [values] }];

export const fine = (filter: Filter): Condition[] => [
  ...given("order_id = ?", filter.orderId),
  ...given("tx_hash = ?", filter.txHash),
  ...given("customer_id = ?", filter.customerId),
  ...ownedBy(filter.owner),
];

export const created = ({ from, before }: Stretch): Condition[] => [
  ...given("created_at >= ?::timestamptz", from),
  ...given("created_at < ?::timestamptz", before),
];

/** What a list's two times mean: they are told to the millisecond, and both belong to it. */
export const stretchOf = ({ createdFrom, createdTo }: Filter): Stretch => ({
  from: createdFrom,
  before: createdTo && new Date(createdTo.getTime() + 1),
});

export const given = (text: string, value: unknown): Condition[] =>
  value === undefined ? [] : [{ text, values: [value] }];

/** A shopper without wallet and customers owns nothing. */
export const ownedBy = (owner: Filter["owner"]): Condition[] => {
  if (owner === undefined) return [];
  const { walletAddress, customerIds } = owner;
  const wallet = walletAddress.toLowerCase();
  const sides = [
    // Plain equality, because only it lets the planner use the indexes over rows that have such an address.
    ...given("payer_address = ?", wallet || undefined),
    ...given("sender_address = ?", wallet || undefined),
    ...(customerIds.length === 0 ? [] : given("customer_id = any(?::text[])", customerIds)),
  ];
  const text = ["false", ...sides.map((side) => side.text)].join(" or ");
  return [{ text: `(${text})`, values: sides.flatMap(({ values }) => values) }];
};

/** Conditions as SQL; their values are added to the statement's. */
export const allOf = (conditions: Condition[], values: unknown[]): string =>
  conditions
    .map((condition) => {
      const own = condition.values.values();
      return condition.text.replaceAll("?", () => `$${values.push(own.next().value)}`);
    })
    .join(" and ");
