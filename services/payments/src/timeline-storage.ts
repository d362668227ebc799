// The steps of payments. A move writes its own by a trigger; here is what is read, and what moves nothing.
import type { ClientBase, Pool } from "pg";
import type { Step } from "./domain/timeline.ts";

const FIND = {
  name: "find-timelines",
  text: `
    select payment_id, event, status, happened_at, reason, tx_hash
    from payment_timeline where payment_id = any($1) order by id`,
};

/** By payment, oldest first. */
export const findSteps = async (
  db: Pool | ClientBase,
  paymentIds: readonly string[],
): Promise<Map<string, Step[]>> => {
  const { rows } = await db.query<Step & { payment_id: string }>({ ...FIND, values: [paymentIds] });
  return Map.groupBy(rows, ({ payment_id }) => payment_id);
};

const PAID_LATE = {
  name: "mark-paid-late",
  text: `
    insert into payment_timeline (payment_id, event, status, happened_at, reason, tx_hash)
    select payments.id, 'paid_late', payments.status, $3, 'late', payments.tx_hash
    from unnest($1::text[], $2::text[]) as seen (id, tx_hash)
    join payments on payments.id = seen.id and payments.tx_hash = seen.tx_hash
    where payments.status = 'expired' and not exists (
      select from payment_timeline told where told.payment_id = payments.id
        and told.event = 'paid_late' and told.tx_hash = payments.tx_hash)`,
};

/** Notes a transfer that came after its payment had expired; where the expiry has noted it, nothing is added. */
export const markPaidLate = async (
  db: Pool | ClientBase,
  seen: readonly { paymentId: string; txHash: string }[],
  now: Date,
): Promise<void> => {
  if (seen.length === 0) return;
  const ids = seen.map(({ paymentId }) => paymentId);
  const values = [ids, seen.map(({ txHash }) => txHash), now];
  await db.query({ ...PAID_LATE, values });
};
