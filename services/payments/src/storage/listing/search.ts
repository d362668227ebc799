// Filters without an index of their own, e.g. of amounts. A list with one of them reads a bounded number of payments of
// its period, once for its page and its total.
import { type Condition, condition, joinConditions, SEARCHED_MAX } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import { parseAddress, toCurrency } from "@pay/values";
import { PAYMENT_COLUMNS } from "./columns.ts";
import {
  buildCoarse,
  buildFine,
  checkAll,
  createdWithin,
  type Filter,
  getPeriod,
  type Position,
  tenantIs,
  UNSTORED_SOURCE,
} from "./conditions.ts";

const TOO_MANY = `createdFrom and createdTo must be closer together: these filters search at most ${SEARCHED_MAX} payments, and the period has more`;

const PERIOD_DAYS = 30;
const DAY_MS = 86_400_000;

function buildSearch(filter: Filter): Condition[] {
  const { currency, recipientAddress, amountFrom, amountTo, failureCode, refunded } = filter;
  const recipient = recipientAddress && (parseAddress(recipientAddress) ?? "");
  return [
    ...condition("lower(currency) = ?", currency && toCurrency(currency)),
    ...condition("lower(recipient_address) = ?", recipient),
    ...condition("amount::numeric >= ?::numeric", amountFrom),
    ...condition("amount::numeric <= ?::numeric", amountTo),
    ...condition("failure_code = ?", failureCode),
    ...condition("(coalesce(refunded_base_amount, 0) > 0) = ?::boolean", refunded),
    ...(filter.source === UNSTORED_SOURCE ? [{ text: "source is null", values: [] }] : []),
  ];
}

export function isSearch(filter: Filter): boolean {
  return buildSearch(filter).length > 0;
}

/** A search without a beginning goes back 30 days. */
export function boundSearch(filter: Filter, now: Date): Filter {
  if (!isSearch(filter) || filter.createdFrom !== undefined) return filter;
  const until = filter.createdTo ?? now;
  return { ...filter, createdFrom: new Date(until.getTime() - PERIOD_DAYS * DAY_MS) };
}

/** A search that was not read to its end has neither a right page nor a right total. */
export function checkSearched(filter: Filter, { counted }: { counted: bigint }): void {
  if (isSearch(filter) && counted > SEARCHED_MAX) throw new Failure("field_invalid", TOO_MANY);
}

/** As common table expressions; `searched` has the keys of the read payments, and `fits`. It reads `kind`. */
export function buildSearched(tenant: Tenant, filter: Filter, values: unknown[]): string {
  const finer = buildFine(tenant, filter);
  const fits = joinConditions(buildSearch(filter), values);
  return `searched as materialized (
    select id, status, created_at, ${fits} as fits from (
      select candidate.* from ${buildCandidates(tenant, filter, finer, values)}
      limit ${SEARCHED_MAX + 1}
    ) candidate)`;
}

function buildCandidates(
  tenant: Tenant,
  filter: Filter,
  finer: readonly Condition[],
  values: unknown[],
): string {
  const period = createdWithin(getPeriod(filter));
  if (finer.length > 0) {
    const tenants = checkAll([...tenantIs(tenant), ...buildCoarse(filter)]);
    return `payments candidate where ${joinConditions([...finer, tenants, ...period], values)}`;
  }
  const { projectId, mode } = tenant;
  const key = {
    text: `payment_kind_key(project_id, mode, variant, status, chain_id)
      = payment_kind_key(?, ?::smallint, kind.variant, kind.status, kind.chain_id)`,
    values: [projectId, mode],
  };
  return `kind cross join lateral (
    select * from payments where ${joinConditions([key, ...tenantIs(tenant), ...period], values)}
      and variant = kind.variant and status = kind.status and chain_id = kind.chain_id) candidate`;
}

export const SEARCHED_TOTAL = "(select count(*) from searched where fits)";
export const SEARCHED_COUNT = "(select count(*) from searched)";

/** The payments after a position, as a query. */
export function buildSearchPage(
  tenant: Tenant,
  { after, wanted }: { after: Position | undefined; wanted: string },
  values: unknown[],
): string {
  const position: Condition[] =
    after === undefined
      ? []
      : [{ text: "(created_at, id) < (?::timestamptz, ?)", values: [after.created_at, after.id] }];
  const listed = joinConditions([{ text: "fits", values: [] }, ...position], values);
  const project = `$${values.push(tenant.projectId)}::text`;
  return `select ${PAYMENT_COLUMNS} from (
      select id, status from searched where ${listed} order by created_at desc, id desc limit ${wanted}
    ) found join payments payment
      on payment.project_id = ${project} and payment.id = found.id and payment.status = found.status`;
}
