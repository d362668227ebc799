// What a run leaves behind, in a form that two runs can be compared by.
import type { Pool } from "pg";

export type Outcome = Record<
  "transfers" | "allocations" | "candidates" | "watches" | "events",
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
    select concat_ws(' ', subject_id, tx_hash, state, reason, attempt, found, epoch, proving_tx_hash) from candidates`,
  watches: "select concat_ws(' ', payment_id, state, version) from watches",
};

export interface Said {
  id: string;
  type: string;
  subjectId: string;
}

export async function readOutcome(pool: Pool, said: readonly Said[]): Promise<Outcome> {
  async function lines(name: keyof typeof QUERIES) {
    const { rows } = await pool.query({ text: QUERIES[name], rowMode: "array" });
    return rows.map(([line]) => String(line)).toSorted();
  }

  return {
    transfers: await lines("transfers"),
    allocations: await lines("allocations"),
    candidates: await lines("candidates"),
    watches: await lines("watches"),
    events: [
      ...new Set(said.map(({ id, type, subjectId }) => `${subjectId} ${type} ${id}`)),
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
