// One step of a run.
import { createRandom, type Fault, type FaultProxy, until } from "@pay/testing";
import {
  type Broker,
  expectProven,
  isSubmitted,
  isTakenIn,
  type Planned,
  replaceDropped,
  resend,
  sendTransactions,
} from "./payments.ts";
import type { Replica } from "./replica.ts";
import type { Step } from "./steps.ts";
import { CONFIRMATIONS, SHAPE, type World } from "./world.ts";

export async function takeStep(world: World, step: Step): Promise<void> {
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
      if (step.instead === "replace") return replaceDropped(chain, world);
      return step.instead === "resend" ? resend(chain, sent) : undefined;
    case "resend":
      return resend(chain, sent);
    case "take proofs back":
      return takeProofsBack(world, step.instead);
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

/** What a killed process had in hand is due at once, not when its lease has run out. */
export const HURRY = `
  update transactions set next_at = now() where state = 'waiting' and next_at > now() + interval '3 seconds';
  update attribution_queue set leased_until = null where leased_until < now() + interval '27 seconds'`;

/** Without faults, because a verdict is waited for. */
async function takeProofsBack(world: World, instead: "resend" | "replace"): Promise<void> {
  const { chain, proxies, replicas, broker, payments, sent, database } = world;
  for (const proxy of proxies) proxy.heal();
  for (const replica of replicas) replica.start();
  await resend(chain, sent);
  await chain.mine(CONFIRMATIONS);
  await until(() => replicas.every((replica) => replica.isReady()), { what: "both processes" });
  deliver(broker, replicas[0]);
  const hashes = payments
    .filter((one) => isSubmitted(one) && expectProven(one) === one.amount)
    .flatMap(({ txHash }) => txHash ?? []);
  const proven = "select from submissions where tx_hash = any($1) and outcome = 'counted'";
  await until(
    async () => {
      await database.pool.query(HURRY);
      return (await database.pool.query(proven, [hashes])).rowCount === hashes.length;
    },
    { what: "the verdicts before a reorganisation" },
  );
  await chain.reorg(SHAPE.depthMax);
  return instead === "replace" ? replaceDropped(chain, world) : resend(chain, sent);
}

async function pay(world: World, one: Planned): Promise<void> {
  const { chain, broker, replicas, publish, sent, database } = world;
  // What a reorganisation has dropped comes first: its sender's later nonces wait for it.
  await resend(chain, sent);
  sent.push(...(await sendTransactions(chain, one)));
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
