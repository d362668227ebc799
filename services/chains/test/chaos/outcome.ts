// What a run leaves behind, in a form that two runs can be compared by. A proof that a reorganisation has taken back
// is the only difference that they may have: it has two events of its own, and its id says which.
import type { Pool } from "pg";
import { unseenEventId, verdictEventId } from "../../src/attribution/domain/candidate.ts";

export type Outcome = Record<
  "transfers" | "allocations" | "candidates" | "watches" | "standing" | "events",
  readonly string[]
>;

const QUERIES = {
  transfers: `
    select concat_ws(' ', tx_hash, kind, ordinal, block_number, block_hash, currency, sender, recipient, value, status)
    from transfers where status <> 'orphaned'`,
  allocations: `
    select concat_ws(' ', t.tx_hash, t.kind, t.ordinal, a.project_id, a.mode, a.subject_id)
    from allocations a join transfers t on t.id = a.transfer_id`,
  candidates: `
    select concat_ws(' ', subject_id, tx_hash, state, reason, attempt, found, proving_tx_hash) from candidates`,
  watches: "select concat_ws(' ', payment_id, state, version) from watches",
  standing: "select distinct subject_id from candidates where state = 'confirmed'",
};

export interface Said {
  id: string;
  type: string;
  subjectId: string;
}

const TAKEN_BACK = {
  name: "list-taken-back",
  text: "select project_id, subject_id, tx_hash, attempt, epoch from candidates where epoch > 0",
};

/** The events of proofs that were taken back, and of those that came instead. */
async function eventsOfReorganisations(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(TAKEN_BACK);
  return rows.flatMap(
    ({ project_id, subject_id: subjectId, tx_hash: txHash, attempt, epoch: last }) =>
      Array.from({ length: last }, (_, epoch) => {
        const proof = { projectId: project_id, subjectId, txHash, attempt };
        return [
          toLine({ subjectId, type: "transfer.unseen", id: unseenEventId({ ...proof, epoch }) }),
          toLine({
            subjectId,
            type: "transfer.confirmed",
            id: verdictEventId({ ...proof, epoch: epoch + 1 }),
          }),
        ];
      }).flat(),
  );
}

function toLine({ id, type, subjectId }: Said): string {
  return `${subjectId} ${type} ${id}`;
}

/** What runs saw of a transaction that is gone differs, and is left out; in all of them its payment has no transfer. */
export async function readOutcome(
  pool: Pool,
  said: readonly Said[],
  gone: readonly string[],
): Promise<Outcome> {
  async function lines(name: keyof typeof QUERIES) {
    const { rows } = await pool.query({ text: QUERIES[name], rowMode: "array" });
    return rows.map(([line]) => String(line)).toSorted();
  }

  async function linesOfOthers(name: keyof typeof QUERIES) {
    return (await lines(name)).filter(isOfOther);
  }

  function isOfOther(line: string) {
    return !gone.some((id) => line.startsWith(id));
  }

  const more = new Set((await eventsOfReorganisations(pool)).filter(isOfOther));
  const events = new Set(said.map(toLine).filter(isOfOther));
  return {
    transfers: await lines("transfers"),
    allocations: await lines("allocations"),
    candidates: await linesOfOthers("candidates"),
    watches: await linesOfOthers("watches"),
    standing: await lines("standing"),
    events: [
      ...[...events].filter((line) => !more.has(line)),
      ...[...more].filter((line) => !events.has(line)).map((line) => `not said: ${line}`),
    ].toSorted(),
  };
}

/** What only one of them has; empty where they are equal. */
export function differences(found: Outcome, expected: Outcome): string[] {
  return (Object.keys(expected) as (keyof Outcome)[]).flatMap((part) => [
    ...found[part]
      .filter((line) => !expected[part].includes(line))
      .map((line) => `+ ${part}: ${line}`),
    ...expected[part]
      .filter((line) => !found[part].includes(line))
      .map((line) => `- ${part}: ${line}`),
  ]);
}
