// Pages of payments. A page and its total come from one statement, so they are of one instant and cost one round
// trip. The total is read from what the triggers keep wherever that knows enough; only finer filters are counted.
import type { ClientBase, Pool } from "pg";
import type { Payment } from "./domain/payment.ts";
import { bigints, type Tenant } from "./storage.ts";

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

export interface Position {
  id: string;
  created_at: Date;
}

interface Condition {
  /** SQL with a ? for each value, in order. */
  text: string;
  values: unknown[];
}

const tenantIs = ({ projectId, mode }: Tenant): Condition[] => [
  { text: "project_id = ?", values: [projectId] },
  { text: "mode = ?::smallint", values: [mode] },
];

/** What the kept totals know besides the tenant. */
const coarse = ({ statuses, variant }: Filter): Condition[] => [
  // One status by itself lets the index on it give the order, too.
  ...(statuses.length === 1 ? [{ text: "status = ?", values: statuses }] : []),
  ...(statuses.length > 1 ? [{ text: "status = any(?::text[])", values: [statuses] }] : []),
  ...(variant === undefined ? [] : [{ text: "variant = ?::smallint", values: [variant] }]),
];

const fine = (filter: Filter): Condition[] => [
  ...given("order_id = ?", filter.orderId),
  ...given("chain_id = ?::bigint", filter.chainId?.toString()),
  ...given("tx_hash = ?", filter.txHash),
  ...given("customer_id = ?", filter.customerId),
  ...given("created_at >= ?::timestamptz", filter.createdFrom),
  ...given("created_at <= ?::timestamptz", filter.createdTo),
  ...ownedBy(filter.owner),
];

const given = (text: string, value: unknown): Condition[] =>
  value === undefined ? [] : [{ text, values: [value] }];

/** A shopper without wallet and customers owns nothing. */
const ownedBy = (owner: Filter["owner"]): Condition[] => {
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
const allOf = (conditions: Condition[], values: unknown[]): string =>
  conditions
    .map((condition) => {
      const own = condition.values.values();
      return condition.text.replaceAll("?", () => `$${values.push(own.next().value)}`);
    })
    .join(" and ");

export const findPage = async (
  db: Pool | ClientBase,
  tenant: Tenant,
  filter: Filter,
  { limit, offset, after }: { limit: number; offset: number; after: Position | undefined },
): Promise<{ payments: Payment[]; total: bigint }> => {
  const values: unknown[] = [];
  const finer = fine(filter);
  const listed = allOf([...tenantIs(tenant), ...coarse(filter), ...finer], values);
  const beyond =
    after === undefined
      ? ""
      : `and (created_at, id) < ($${values.push(after.created_at)}, $${values.push(after.id)})`;
  const total =
    finer.length > 0
      ? `select count(*) from payments where ${listed}`
      : `select coalesce(sum(payments), 0) from payment_totals where ${listed}`;
  const text = `
    select (${total})::bigint as list_total, page.* from (select) as always
    left join (
      select * from payments where ${listed} ${beyond}
      order by created_at desc, id desc
      limit $${values.push(limit)} offset $${values.push(offset)}
    ) page on true
    order by page.created_at desc, page.id desc`;
  const { rows } = await db.query<Payment & { list_total: bigint }>({
    name: nameOf(text),
    text,
    values,
    types: bigints,
  });
  // An empty page still has one row, which carries the total alone.
  return { payments: rows.filter(({ id }) => id !== null), total: rows[0]?.list_total ?? 0n };
};

/** Where the list goes on; undefined when the caller's list has no such payment. */
export const findPosition = async (
  db: Pool | ClientBase,
  tenant: Tenant,
  owner: Filter["owner"],
  id: string,
): Promise<Position | undefined> => {
  const values: unknown[] = [];
  const own = allOf([...tenantIs(tenant), ...ownedBy(owner), ...given("id = ?", id)], values);
  const { rows } = await db.query<Position>(
    `select id, created_at from payments where ${own}`,
    values,
  );
  return rows[0];
};

// Each combination of filters is a statement of its own, prepared once per connection. There are a few hundred at
// the most, since the text depends on which filters are given and never on their values.
const names = new Map<string, string>();
const nameOf = (text: string): string => {
  const name = names.get(text) ?? `list-payments-${names.size}`;
  names.set(text, name);
  return name;
};
