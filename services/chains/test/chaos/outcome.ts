// What a run leaves behind, in a form that two runs can be compared by.
import type { PaymentMoney } from "@pay/proto";
import type { Pool } from "pg";

export type Outcome = Record<
  "transfers" | "attributions" | "allocations" | "submissions" | "watches" | "money",
  readonly string[]
>;

const QUERIES = {
  transfers: `
    select concat_ws(' ', tx_hash, kind, ordinal, block_number, block_hash, currency, sender, recipient, value, status)
    from transfers where status <> 'orphaned'`,
  attributions: `
    select concat_ws(' ', a.payment_id, a.rule, a.reason, a.is_open, t.tx_hash, t.kind, t.ordinal, a.project_id, a.mode)
    from attributions a join transfers t on t.id = a.transfer_id where t.status <> 'orphaned'`,
  allocations: `
    select concat_ws(' ', a.subject_id, t.tx_hash, t.kind, t.ordinal, a.project_id, a.mode)
    from allocations a join transfers t on t.id = a.transfer_id`,
  submissions: "select concat_ws(' ', subject_id, tx_hash, outcome, attempt) from submissions",
  watches:
    "select concat_ws(' ', payment_id, version, paid_block, has_parts, is_settled) from watches",
  money: "select concat_ws(' ', payment_id, money) from payment_sums",
};

export interface Said {
  id: string;
  money: PaymentMoney;
}

/** What runs saw of a transaction that is gone differs, and is left out; in all of them its payment has no transfer. */
export async function readOutcome(pool: Pool, gone: readonly string[]): Promise<Outcome> {
  async function lines(name: keyof typeof QUERIES) {
    const { rows } = await pool.query({ text: QUERIES[name], rowMode: "array" });
    return rows
      .map(([line]) => String(line))
      .filter((line) => !gone.some((id) => line.startsWith(id)))
      .toSorted();
  }

  return {
    transfers: await lines("transfers"),
    attributions: await lines("attributions"),
    allocations: await lines("allocations"),
    submissions: await lines("submissions"),
    watches: await lines("watches"),
    money: await lines("money"),
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

/** Turns of a payment that were told with two contents. */
export function contradictions(said: readonly Said[]): string[] {
  const ids = new Map<string, string>();
  return said.flatMap(({ id, money: { paymentId, turn } }) => {
    const key = `${paymentId} ${turn}`;
    const first = ids.get(key) ?? id;
    ids.set(key, first);
    return first === id ? [] : [`two events of one turn: ${key}`];
  });
}

export function findNewest(said: readonly Said[], paymentId: string): PaymentMoney | undefined {
  return said
    .map(({ money }) => money)
    .filter((money) => money.paymentId === paymentId)
    .toSorted((a, b) => b.turn - a.turn)[0];
}
