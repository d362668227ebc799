// What a run happens in: a chain with its providers, a database, processes of the service, a broker, and payments.
import { fromBinary } from "@bufbuild/protobuf";
import type { BusRecord } from "@pay/events";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { EventSchema } from "@pay/proto";
import {
  createRandom,
  type Fault,
  type FaultProxy,
  type TestChain,
  type TestDatabase,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import { servePayments } from "../chains.ts";
import type { Said } from "./outcome.ts";
import { type Broker, type Planned, planPayments, publisher, type Sent } from "./payments.ts";
import { createReplica, type Replica } from "./replica.ts";
import { watchRules } from "./rules.ts";
import type { Shape } from "./steps.ts";

export const CONFIRMATIONS = 4;
export const SHAPE: Shape = {
  payments: 9,
  providers: 2,
  replicas: 2,
  depthMax: CONFIRMATIONS + 2,
  others: 30,
};
/** `finalized` is twice as deep: below every reorganisation of a run. */
export const SLOTS_IN_AN_EPOCH = 4;
const BLOCKS_AT_THE_BEGINNING = 8;
const UNPROVEN_SHARE = 0.5;
const BUSY: Fault = { kind: "status", status: 429 };
const FINALITY = { mode: "confirmations", confirmations: CONFIRMATIONS };

export interface World {
  chain: TestChain;
  database: TestDatabase;
  proxies: FaultProxy[];
  replicas: Replica[];
  broker: Broker;
  publish: ReturnType<typeof publisher>;
  payments: Planned[];
  /** In the order of their nonces. */
  sent: Sent[];
  said: Said[];
  /** Of the payments service that the processes ask. */
  life: Lifecycle;
}

export async function createWorld(seed: number): Promise<World> {
  const [chain, database] = await Promise.all([
    testChain({ slotsInAnEpoch: SLOTS_IN_AN_EPOCH }),
    testDatabase("services/chains"),
  ]);
  await watchRules(database.pool);
  for (const to of chain.accounts.slice(1, 5)) await chain.payToken({ to, value: 10n ** 12n });
  await chain.mineAtOnce(false);
  const proxies: FaultProxy[] = [];
  while (proxies.length < SHAPE.providers) proxies.push(await chain.faultProxy());
  // Until they are healed no process can prove the token, while payments in it are open.
  const isUnproven = createRandom(seed + 2).isBelow(UNPROVEN_SHARE);
  for (const proxy of isUnproven ? proxies : []) proxy.fail(BUSY, { methods: ["eth_call"] });
  const broker: Broker = { log: [], waiting: [] };
  const said: Said[] = [];
  const publish = publisher(chain, broker);
  const life = createTestRuntime("payments");
  const asked = await servePayments(life, async (wallets) => publish.listOpen(wallets));
  const [first, ...others] = proxies.map(({ url }) => url);
  const environment = {
    ...buildEnvironment(chain),
    CHAINS_DATABASE_URL: database.url,
    PAYMENTS_ADDRESS: asked.address,
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: first ?? "", tokens: [chain.token] }),
    CHAINS_PROVIDERS: JSON.stringify({ [chain.chainId]: others }),
  };
  const replicas: Replica[] = Array.from({ length: SHAPE.replicas }, () =>
    createReplica({
      environment,
      log: () => broker.log,
      published: (records) => {
        said.push(...records.flatMap(toSaid));
      },
    }),
  );
  return {
    chain,
    database,
    proxies,
    replicas,
    broker,
    said,
    sent: [],
    publish,
    life,
    payments: planPayments(SHAPE.payments, chain, createRandom(seed + 1)),
  };
}

export function buildEnvironment(chain: TestChain): Record<string, string> {
  return {
    CHAINS_GRPC_PORT: "0",
    CHAINS_FINALITY: JSON.stringify({ [chain.chainId]: FINALITY }),
  };
}

function toSaid({ payload }: BusRecord): Said[] {
  const { id, resource } = fromBinary(EventSchema, payload);
  return resource.case === "money" ? [{ id, money: resource.value }] : [];
}

export interface Place {
  number: number;
  hash: string;
}

/** From here on both services follow the chain. */
export async function findStart({ chain, database: { pool }, replicas }: World): Promise<Place> {
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
