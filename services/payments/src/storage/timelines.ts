// The timeline of a payment is text with a line for each step: `tp1700000000123@actor reason#digits` has letters for
// event and status, the milliseconds, and optionally actor, reason and hash. A line without # is about the hash of the
// payment.
import type { Queryable } from "@pay/database";
import type { Payment, RecordedStep, Status } from "../domain/payment.ts";
import type { NewStep, Step } from "../domain/timeline.ts";
import { findTimelines } from "../generated/sql.ts";

const EVENTS = {
  transaction_submitted: "t",
  transaction_refuted: "r",
  transaction_reorged: "o",
  confirmed: "c",
  failed: "f",
  expired: "e",
  extended: "x",
  payer_declared: "d",
  paid_late: "l",
  late_accepted: "a",
  late_rejected: "j",
  part_received: "P",
  surplus_received: "s",
  refunded_in_part: "p",
  refunded: "R",
  surplus_refunded: "S",
  refund_undone: "u",
  screened: "n",
} as const satisfies Record<RecordedStep, string>;

const STATUSES = {
  created: "w",
  pending: "n",
  processing: "p",
  confirmed: "c",
  failed: "f",
  expired: "e",
  refunded: "R",
} as const satisfies Record<Status, string>;

const BY_LETTER = {
  event: invert(EVENTS),
  status: invert(STATUSES),
};

function invert<Name extends string>(letters: Record<Name, string>): Map<string, Name> {
  return new Map(Object.entries<string>(letters).map(([name, letter]) => [letter, name as Name]));
}

/** A line of the column. */
export function formatStep(step: NewStep): string {
  const { event, status, happened_at, made_by, reason, tx_hash } = step;
  const actor = made_by === null ? "" : `@${made_by}`;
  const line = `${EVENTS[event]}${STATUSES[status]}${happened_at.getTime()}${actor}`;
  const about = reason === null ? line : `${line} ${reason.replaceAll(/[#\n]/g, " ")}`;
  return tx_hash === null ? about : `${about}#${tx_hash.slice("0x".length)}`;
}

const LINE = /^(.)(.)(\d+)(?:@(\w+))?(?: ([^#]*))?(?:#(.*))?$/;

/** Oldest first. */
export function parseSteps(steps: string | null, txHash: string | null): Step[] {
  return (steps?.split("\n") ?? []).map((line) => {
    const [, letter = "", status = "", time, actor, reason, hash] = LINE.exec(line) ?? [];
    const step = { event: BY_LETTER.event.get(letter), status: BY_LETTER.status.get(status) };
    if (step.event === undefined || step.status === undefined) {
      throw new Error(`a timeline has an unknown step: ${line}`);
    }
    return {
      event: step.event,
      status: step.status,
      happened_at: new Date(Number(time)),
      made_by: actor ?? null,
      reason: reason ?? null,
      tx_hash: hash === undefined ? txHash : hash === "" ? null : `0x${hash}`,
    };
  });
}

/** Of payments that were found with their tenant, by id. */
export async function findSteps(
  db: Queryable,
  payments: readonly Payment[],
): Promise<Map<string, Step[]>> {
  const rows = await findTimelines(db, { names: payments });
  return new Map(rows.map(({ id, steps, tx_hash }) => [id, parseSteps(steps, tx_hash)]));
}
