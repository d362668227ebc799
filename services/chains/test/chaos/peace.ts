// The same chain, followed from the same block by one process that nothing happens to.
import type { BusRecord } from "@pay/events";
import { type TestChain, type TestDatabase, testDatabase, until } from "@pay/testing";
import { startTestChains } from "../chains.ts";
import { type Outcome, readOutcome, type Said } from "./outcome.ts";
import { expectProven, isTold, listGone, type Planned } from "./payments.ts";
import { buildEnvironment, type Place, SLOTS_IN_AN_EPOCH, type World } from "./world.ts";

/** The money of a chain without faults. */
export function isWhole(payments: readonly Planned[], said: readonly Said[]): boolean {
  return payments.every((one) => isTold(one, said));
}

export async function followedInPeace(world: World, start: Place): Promise<Outcome> {
  const { chain, broker, payments, publish } = world;
  const database = await testDatabase("services/chains");
  await database.pool.query(
    `insert into cursors (chain_id, epoch, leased_until, head_number, head_hash) values ($1, 0, now(), $2, $3)`,
    [chain.chainId, start.number, start.hash],
  );
  const environment = buildEnvironment(chain);
  const service = await startTestChains({
    chain,
    database,
    environment,
    listOpen: publish.listOpen,
  });
  try {
    await service.bus.publish(broker.log);
    await until(() => isWhole(payments, service.told), { what: "the money in peace" });
    await closeConfirmed(world, (records) => service.bus.publish(records));
    await isFinal(database, chain);
    return await readOutcome(database.pool, listGone(payments));
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** As payments does once it has heard of a proof. */
export async function closeConfirmed(
  { payments, publish, broker }: World,
  give: (records: BusRecord[]) => Promise<unknown>,
): Promise<void> {
  const before = broker.log.length;
  for (const one of payments) if (expectProven(one) === one.amount) await publish.confirmed(one);
  await give(broker.log.splice(before));
  broker.waiting.length = 0;
}

function isFinal({ pool }: TestDatabase, chain: TestChain): Promise<unknown> {
  return until(
    async () => {
      const head = await chain.head();
      const { rowCount } = await pool.query(
        `select from cursors where head_number = $1 and final_number >= $2
           and not exists (select from transfers where status = 'seen')
           and not exists (select from watches where is_followed and version = 9)
           and not exists (select from attribution_queue where next_at <= now())`,
        [head, head - 2 * SLOTS_IN_AN_EPOCH],
      );
      return rowCount === 1;
    },
    { what: "the final head" },
  );
}
