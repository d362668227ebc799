// A merchant who hears of everything. All stories are played at once, and what is told of each payment is collected.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { callNode } from "@pay/embedded";
import { type Receiver, startReceiver, until } from "@pay/testing";
import pg from "pg";
import { addOtherWallets, callAs, getWallet, play, type Stage } from "./play-story.ts";
import * as tell from "./tellings.ts";
import { parseStories, type Story } from "./told-stories.ts";
import type { Stories } from "./visits.ts";

const EVENTS = [
  "payment.created",
  "payment.processing",
  "payment.confirmed",
  "payment.failed",
  "payment.expired",
  "payment.refunded",
  "payment.received",
  "transfer.unmatched",
];
const LATER_S = 305;
/** After so many even dust is proven. */
const FINAL_BLOCKS = "0x50";
/** Any day that is over. */
const DAY = "2026-03-01";
const PAGES_MAX = 4;
/** A webhook and a read may be a moment behind. */
const BEHIND_MS = 10_000;

/** What surfaces tell, by their names and that of the story. */
export type Tales = Record<string, Record<string, unknown>>;

interface Named extends tell.Telling {
  name: string;
}

export async function tellStories(stories: Stories): Promise<{ told: Tales; expected: Tales }> {
  const { product, shop } = stories;
  const { chainRpcUrl } = product.credentials;
  const accounts = (await callNode(chainRpcUrl, "eth_accounts")) as string[];
  const all = parseStories();
  const passTime = createGate(all.length, async () => {
    await callNode(chainRpcUrl, "evm_increaseTime", [LATER_S]);
    await callNode(chainRpcUrl, "anvil_mine", ["0x1"]);
  });
  const stage: Stage = { product, shop, accounts, passTime };
  await addOtherWallets(stage);
  const secret = callAs(stage, "secret");
  const receiver = await startReceiver({ plain: true });
  try {
    await secret("PUT", "/v1/projects/me", { payoutWallets: [getWallet(stage, "w8")] });
    await secret("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/`, events: EVENTS });
    const tellings = await playAll(stage, all);
    const rows = await closeDay(stage);
    const [told, expected]: [Tales, Tales] = [{}, {}];
    await Promise.all(
      tellings.map(async (telling) => {
        const wanted = expectReads(telling);
        expected[telling.name] = wanted;
        told[telling.name] = await readUntil(wanted, () =>
          readAll(stage, telling, { rows, receiver }),
        );
      }),
    );
    await inTurns(tellings, async (telling) => {
      const { name } = telling;
      Object.assign(told[name] ?? {}, { page: await tell.tellPage(stories, telling) });
      Object.assign(expected[name] ?? {}, { page: tell.expectPage(telling) });
    });
    // Refunds change what all others tell.
    await Promise.all(
      tellings.map(async (telling) => {
        const { name } = telling;
        Object.assign(told[name] ?? {}, { refund: await tell.tellRefundable(stage, telling) });
        Object.assign(expected[name] ?? {}, { refund: tell.expectRefundable(stage, telling) });
      }),
    );
    return { told, expected };
  } finally {
    await receiver.stop();
  }
}

/** All at once, after those that take blocks from the chain have done so, one after another. */
async function playAll(stage: Stage, all: readonly Story[]): Promise<Named[]> {
  const isRough = ({ steps }: Story) => steps.some((step) => step.startsWith("^"));
  const playing: Promise<Named[]>[] = [];
  for (const story of all.filter(isRough)) {
    const calm = Promise.withResolvers<void>();
    const played = playNamed(stage, story, calm.resolve);
    playing.push(played);
    await Promise.race([calm.promise, played]);
  }
  for (const story of all) {
    if (!isRough(story)) playing.push(playNamed(stage, story, () => {}));
  }
  return (await Promise.all(playing)).flat();
}

async function playNamed(stage: Stage, story: Story, onCalm: () => void): Promise<Named[]> {
  const orders = await play(stage, story, onCalm);
  return [...story.told].map(([name, told]) => {
    const played = orders.get(name);
    if (played === undefined) throw new Error(`${story.title} has no order ${name}`);
    return { name: `${story.title}: ${name}`, told, ...played };
  });
}

/** Each of so many parties calls it once. The act follows the last call, and then all calls end. */
function createGate(parties: number, act: () => Promise<void>): () => Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = parties;
  return () => {
    left--;
    if (left === 0) act().then(resolve, reject);
    return promise;
  };
}

async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  async function take(): Promise<void> {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  }

  await Promise.all(Array.from({ length: PAGES_MAX }, take));
}

async function readUntil<T>(wanted: T, read: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + BEHIND_MS;
  let last = await read();
  await until(async () => {
    if (isDeepStrictEqual(last, wanted) || Date.now() > deadline) return true;
    last = await read();
    return false;
  });
  return last;
}

const WORK = `select from transactions where state = 'waiting'
  union all select from attribution_queue where next_at <= now() or leased_until is not null
  union all select from transfers where status = 'seen'
  union all select from outbox`;

/** Once all transfers are decided: the statement of a past day, into which they are moved. */
async function closeDay({ product }: Stage): Promise<tell.StatementRow[]> {
  const { credentials, running, askOnly } = product;
  const run = JSON.parse(readFileSync(join(running.dataDir, "run.json"), "utf8"));
  const chains = new pg.Client(run.databaseUrls.chains);
  await chains.connect();
  try {
    await callNode(credentials.chainRpcUrl, "anvil_mine", [FINAL_BLOCKS]);
    await until(
      async () => {
        const head = Number(await callNode(credentials.chainRpcUrl, "eth_blockNumber"));
        const reached = "select from cursors where head_number >= $1";
        if ((await chains.query(reached, [head])).rowCount === 0) return false;
        return (await chains.query(WORK)).rowCount === 0;
      },
      { what: "the decisions about all transfers" },
    );
    await chains.query("update allocations set created_at = $1", [`${DAY}T12:00:00Z`]);
  } finally {
    await chains.end();
  }
  const headers = { "x-secret-key": credentials.secretKey, accept: "application/jsonl" };
  const { text } = await askOnly("GET", `/v1/statements/${DAY}`, { headers });
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

interface Heard {
  rows: readonly tell.StatementRow[];
  receiver: Receiver;
}

async function readAll(stage: Stage, telling: tell.Telling, { rows, receiver }: Heard) {
  return {
    payment: await tell.tellState(stage, telling),
    status: await tell.tellStatus(stage, telling),
    explain: await tell.tellExplanation(stage, telling),
    timeline: await tell.tellTimeline(stage, telling),
    webhooks: tell.tellWebhooks(listWebhooks(receiver), telling),
    statement: tell.tellStatement(rows, telling),
  };
}

function expectReads(telling: tell.Telling) {
  const { status, failureCode, isCandidate } = telling.told;
  return {
    payment: tell.expectState(telling),
    status: tell.expectStatus(telling),
    explain: tell.expectExplanation(telling),
    timeline: { status, reason: failureCode },
    webhooks: { status, isCandidate },
    statement: tell.expectStatement(telling),
  };
}

function listWebhooks({ all }: Receiver): tell.Webhook[] {
  return all.map(({ headers, body }) => ({
    type: headers["x-service-event"] ?? "",
    sequence: Number(headers["x-service-sequence"]),
    body: JSON.parse(body.toString()),
  }));
}
