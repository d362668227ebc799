// One run: payments are opened and paid while providers lose answers and lie, blocks are replaced, processes are killed and
// two of them lead. Then all is healed, and what is left must be what a service leaves that followed the same chain in peace.
import { fromBinary } from "@bufbuild/protobuf";
import type { BusRecord } from "@pay/events";
import { EventSchema } from "@pay/proto";
import {
  type Fault,
  type FaultProxy,
  type TestChain,
  type TestDatabase,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import { startTestChains } from "../chains.ts";
import { differences, type Outcome, readOutcome, type Said } from "./outcome.ts";
import {
  areMined,
  type Broker,
  expectedOf,
  isSubmitted,
  isTakenIn,
  type Planned,
  planPayments,
  publisher,
  resend,
  sendTransaction,
} from "./payments.ts";
import { createRandom } from "./random.ts";
import { createReplica, type Replica } from "./replica.ts";
import { drawSteps, type Shape, type Step } from "./steps.ts";

const CONFIRMATIONS = 4;
const SHAPE: Shape = {
  ...{ payments: 9, providers: 2, replicas: 2, depthMax: CONFIRMATIONS - 1, others: 30 },
};
/** `finalized` is twice as deep: below every reorganisation of a run. */
const SLOTS_IN_AN_EPOCH = 4;
const BLOCKS_AT_THE_BEGINNING = 5;
const BLOCKS_AT_THE_END = 20;
const FINALITY = { mode: "confirmations", confirmations: CONFIRMATIONS };

interface World {
  chain: TestChain;
  database: TestDatabase;
  proxies: FaultProxy[];
  replicas: Replica[];
  broker: Broker;
  publish: ReturnType<typeof publisher>;
  payments: Planned[];
  /** In the order of their nonces. */
  sent: Planned[];
  said: Said[];
}

/** Rejects with the seed, the steps and the differences. */
export async function runChaos(seed: number): Promise<void> {
  const random = createRandom(seed);
  const steps = drawSteps(random, SHAPE);
  const world = await createWorld(seed);
  try {
    const start = await startOf(world);
    for (const step of steps) await take(world, step);
    await heal(world);
    const expected = await followedInPeace(world, start);
    await agreesWith(world, expected);
  } catch (error) {
    const list = steps.map((step, at) => `${at + 1}. ${JSON.stringify(step)}`).join("\n");
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${list}`, { cause: error });
  } finally {
    for (const replica of world.replicas) await replica.kill();
    await world.database.drop();
    await world.chain.stop();
  }
}

async function createWorld(seed: number): Promise<World> {
  const [chain, database] = await Promise.all([
    testChain({ slotsInAnEpoch: SLOTS_IN_AN_EPOCH }),
    testDatabase("services/chains"),
  ]);
  for (const to of chain.accounts.slice(1, 5)) await chain.payToken({ to, value: 10n ** 12n });
  await chain.mineAtOnce(false);
  const proxies: FaultProxy[] = [];
  while (proxies.length < SHAPE.providers) proxies.push(await chain.faultProxy());
  const broker: Broker = { log: [], waiting: [] };
  const said: Said[] = [];
  const [first, ...others] = proxies.map(({ url }) => url);
  const environment = {
    ...environmentOf(chain),
    CHAINS_RPC_TIMEOUT_MS: "1000",
    CHAINS_DATABASE_URL: database.url,
    CHAINS_LOCAL_RPC_URL: first ?? "",
    CHAINS_PROVIDERS: JSON.stringify({ [chain.chainId]: others }),
  };
  const replicas = Array.from({ length: SHAPE.replicas }, () =>
    createReplica({
      ...{ environment, log: broker.log },
      published: (records) => void said.push(...records.map(toSaid)),
    }),
  );
  return {
    ...{ chain, database, proxies, replicas, broker, said, sent: [] },
    publish: publisher(chain, broker),
    payments: planPayments(SHAPE.payments, chain, createRandom(seed + 1)),
  };
}

function environmentOf(chain: TestChain): Record<string, string> {
  return {
    CHAINS_GRPC_PORT: "0",
    CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token]),
    CHAINS_FINALITY: JSON.stringify({ [chain.chainId]: FINALITY }),
    CHAINS_VERIFY_INTERVAL_MS: "20",
    CHAINS_FOLLOW_INTERVAL_MS: "20",
  };
}

function toSaid({ payload }: BusRecord): Said {
  const { id, type, resourceId: subjectId } = fromBinary(EventSchema, payload);
  return { id, type, subjectId };
}

interface Place {
  number: number;
  hash: string;
}

/** From here on both services follow the chain. */
async function startOf({ chain, database: { pool }, replicas }: World): Promise<Place> {
  for (const replica of replicas) replica.start();
  const followed = "select head_number::int as number, head_hash as hash from cursors";
  const place = await until(
    async () => {
      const [row] = (await pool.query<Place>(followed)).rows;
      return row?.number === (await chain.head()) ? row : undefined;
    },
    { what: "the first followed block" },
  );
  await until(() => replicas.every((replica) => replica.isReady()), { what: "both processes" });
  // No reorganisation reaches below it.
  await chain.mine(BLOCKS_AT_THE_BEGINNING);
  return place;
}

async function take(world: World, step: Step): Promise<void> {
  const { chain, database, proxies, replicas, broker, publish, payments, sent } = world;
  switch (step.kind) {
    case "open":
      return void (await publish.created(payments[step.payment] as Planned));
    case "pay":
      return pay(world, payments[step.payment] as Planned);
    case "deliver":
      return deliver(broker, replicas[step.replica]);
    case "mine":
      return chain.mine(step.blocks);
    case "reorganise":
      await chain.reorg(step.depth);
      return step.resends ? resend(chain, sent) : undefined;
    case "resend":
      return resend(chain, sent);
    case "lose":
      return lose(proxies[step.provider] as FaultProxy, step);
    case "lie":
      return lie(proxies[step.provider] as FaultProxy, step.what);
    case "heal":
      return proxies[step.provider]?.heal();
    case "kill":
      return replicas[step.replica]?.kill();
    case "start":
      return replicas[step.replica]?.start();
    case "steal the lease":
      return void (await database.pool.query(
        "update cursors set leased_until = now(), leader = null",
      ));
    case "wait":
      return asked(world, step.questions);
  }
}

async function pay(world: World, one: Planned): Promise<void> {
  if (one.plan === "unpaid") return;
  const { chain, broker, replicas, publish, sent, database } = world;
  // What a reorganisation has dropped comes first: its sender's later nonces wait for it.
  await resend(chain, sent);
  await sendTransaction(chain, one);
  sent.push(one);
  if (!isSubmitted(one)) return;
  // Before it is mined: a transfer that is found first is another attempt, and has another event.
  await publish.submitted(one);
  for (const replica of replicas) replica.start();
  await until(() => replicas.some((replica) => replica.isReady()), { what: "a process" });
  deliver(
    broker,
    replicas.find((replica) => replica.isReady()),
  );
  await isTakenIn(database.pool, one);
}

function deliver(broker: Broker, replica: Replica | undefined): void {
  if (replica?.isReady() !== true) return;
  replica.give(broker.waiting);
  broker.waiting.length = 0;
}

const FAULTS: Record<Extract<Step, { kind: "lose" }>["what"], Fault> = {
  "hang up": { kind: "hang-up" },
  "bad gateway": { kind: "status", status: 502, body: "<html>Bad Gateway</html>" },
  busy: { kind: "status", status: 429 },
  "half an answer": { kind: "text", body: '{"jsonrpc":"2.0","id":1,"resu' },
  "wrong id": { kind: "wrong-id" },
  silence: { kind: "stall" },
};

function lose(proxy: FaultProxy, { what, share, seed }: Extract<Step, { kind: "lose" }>): void {
  const random = createRandom(seed);
  proxy.fail(FAULTS[what], { when: () => random.isBelow(share) });
}

function lie(proxy: FaultProxy, what: Extract<Step, { kind: "lie" }>["what"]): void {
  if (what === "behind") proxy.lag(2);
  const method = what === "no logs" ? "eth_getLogs" : "eth_getTransactionReceipt";
  const answer = what === "no logs" ? [] : null;
  if (what !== "behind")
    proxy.fail({ kind: "change", change: () => answer }, { methods: [method] });
}

async function asked({ proxies, replicas }: World, questions: number): Promise<void> {
  if (!replicas.some((replica) => replica.isReady())) return;
  function count() {
    return proxies.reduce((sum, proxy) => sum + proxy.calls(), 0);
  }

  const before = count();
  await until(() => count() >= before + questions, { what: "questions to the providers" });
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

/** The verdicts of a chain without faults. */
function isWhole(payments: readonly Planned[], said: readonly Said[]): boolean {
  return payments.every((one) => {
    const expected = expectedOf(one);
    const types = said.filter(({ subjectId }) => subjectId === one.id).map(({ type }) => type);
    return expected === undefined || types.includes(`transfer.${expected}`);
  });
}

async function followedInPeace(world: World, start: Place): Promise<Outcome> {
  const { chain, broker, payments } = world;
  const database = await testDatabase("services/chains");
  await database.pool.query(
    `insert into cursors (chain_id, epoch, leased_until, head_number, head_hash) values ($1, 0, now(), $2, $3)`,
    [chain.chainId, start.number, start.hash],
  );
  const environment = environmentOf(chain);
  const service = await startTestChains({ chain, database, environment });
  try {
    await service.bus.publish(broker.log);
    function said() {
      return service.seen.map(({ id, type, observation: { subjectId } }) => ({
        ...{ id, type, subjectId },
      }));
    }

    await until(() => isWhole(payments, said()), { what: "the verdicts in peace" });
    await closeConfirmed(world, (records) => service.bus.publish(records));
    await isFinal(database, chain);
    return await readOutcome(database.pool, said());
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** As payments does once it has heard of a proof. */
async function closeConfirmed(
  { payments, publish, broker }: World,
  give: (records: BusRecord[]) => Promise<unknown>,
): Promise<void> {
  const before = broker.log.length;
  for (const one of payments) if (expectedOf(one) === "confirmed") await publish.confirmed(one);
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
           and not exists (select from watches where state = 'open' and version = 9)`,
        [head, head - 2 * SLOTS_IN_AN_EPOCH],
      );
      return rowCount === 1;
    },
    { what: "the final head" },
  );
}

async function agreesWith(world: World, expected: Outcome): Promise<void> {
  const { database, payments, said, replicas } = world;
  let last: string[] = [];
  let isClosed = false;
  await until(
    async () => {
      if (replicas.some((replica) => replica.hasCrashed())) throw new Error("a process has ended");
      // What a killed process had in hand is due at once, not when its lease has run out.
      await database.pool.query(
        "update candidates set next_at = now() where state = 'waiting' and next_at > now() + interval '3 seconds'",
      );
      if (isWhole(payments, said) && !isClosed) {
        isClosed = true;
        await closeConfirmed(world, async (records) => replicas[0]?.give(records));
      }
      last = differences(await readOutcome(database.pool, said), expected);
      return last.length === 0;
    },
    { what: "the same end" },
  ).catch((error: Error) => {
    throw new Error([error.message, ...last].join("\n"), { cause: error });
  });
}
