// One run: payments are opened and paid while providers lose answers and lie, blocks are replaced, processes are
// killed and two of them lead. Then all is healed, and what is left must be what a service leaves that followed the
// same chain in peace.
import { createRandom, until } from "@pay/testing";
import { contradictions, differences, type Outcome, readOutcome } from "./outcome.ts";
import { areMined, listGone, resend } from "./payments.ts";
import { closeConfirmed, followedInPeace, isWhole } from "./peace.ts";
import { brokenRules } from "./rules.ts";
import { drawSteps } from "./steps.ts";
import { HURRY, takeStep } from "./take-step.ts";
import { createWorld, findStart, SHAPE, type World } from "./world.ts";

const BLOCKS_AT_THE_END = 20;

/** Rejects with the seed, the steps and the differences. */
export async function runChaos(seed: number): Promise<void> {
  const random = createRandom(seed);
  const steps = drawSteps(random, SHAPE);
  const world = await createWorld(seed);
  try {
    const start = await findStart(world);
    for (const step of steps) await takeStep(world, step);
    await heal(world);
    const expected = await followedInPeace(world, start);
    await agreesWith(world, expected);
    const broken = [...(await brokenRules(world.database.pool)), ...contradictions(world.said)];
    if (broken.length > 0) throw new Error(broken.join("\n"));
  } catch (error) {
    const list = steps.map((step, at) => `${at + 1}. ${JSON.stringify(step)}`).join("\n");
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${list}`, { cause: error });
  } finally {
    for (const replica of world.replicas) await replica.kill();
    await world.life.stop();
    await world.database.drop();
    await world.chain.stop();
  }
}

/** All processes know all events, and all is mined and final. */
async function heal({ chain, proxies, replicas, sent, broker }: World) {
  for (const proxy of proxies) proxy.heal();
  for (const replica of replicas) replica.start();
  while (!(await areMined(chain, sent))) {
    await resend(chain, sent);
    await chain.mine();
  }
  await chain.mine(BLOCKS_AT_THE_END);
  await until(() => replicas.every((replica) => replica.isReady()), { what: "both processes" });
  // Of those that were opened last no process may know.
  for (const replica of replicas) replica.give(broker.log);
}

async function agreesWith(world: World, expected: Outcome): Promise<void> {
  const { database, payments, said, replicas } = world;
  let last: string[] = [];
  let isClosed = false;
  await until(
    async () => {
      if (replicas.some((replica) => replica.hasCrashed())) throw new Error("a process has ended");
      await database.pool.query(HURRY);
      if (isWhole(payments, said) && !isClosed) {
        isClosed = true;
        await closeConfirmed(world, async (records) => replicas[0]?.give(records));
      }
      last = differences(await readOutcome(database.pool, listGone(payments)), expected);
      return last.length === 0;
    },
    { what: "the same end" },
  ).catch((error: Error) => {
    throw new Error([error.message, ...last].join("\n"), { cause: error });
  });
}
