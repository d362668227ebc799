// Claims that are held for a signature. They are looked at again at once when a wallet signs, and when what another payment of
// the same amount has become may end their hold.
import { type ChainId, toChainId } from "@pay/values";
import type { ClientBase } from "pg";
import type { Watch } from "../domain/watch.ts";

// What another writer has locked is decided by it.
const WAKE = {
  name: "wake-held-candidates",
  text: `
    update candidates set next_at = $7, misses = 0 where (project_id, id) in (
      select c.project_id, c.id from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::numeric[])
          as w (chain_id, recipient, currency, project_id, mode, base_amount)
        join candidates c using (chain_id, recipient, currency, project_id, mode, base_amount)
      where c.state = 'waiting' and c.waits_for = 'signature' and c.next_at > $7
      for update of c skip locked)
    returning chain_id`,
};

/** Answers the chains that have candidates to verify now. */
export async function wakeHeld(
  db: ClientBase,
  watches: readonly Watch[],
  now: Date,
): Promise<Set<ChainId>> {
  if (watches.length === 0) return new Set();
  const values = [
    watches.map(({ chainId }) => chainId),
    watches.map(({ recipient }) => recipient),
    watches.map(({ currency }) => currency),
    watches.map(({ projectId }) => projectId),
    watches.map(({ mode }) => mode),
    watches.map(({ baseAmount }) => baseAmount.toString()),
  ];
  const { rows } = await db.query<{ chain_id: string }>({ ...WAKE, values: [...values, now] });
  return new Set(rows.map((row) => toChainId(row.chain_id)));
}
