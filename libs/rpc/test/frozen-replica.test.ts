// One replica of three is stopped with SIGSTOP: its connection stays, and nothing answers.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { asFailure, getKind } from "@pay/failures";
import { createTestRuntime } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { freezeProcess, until } from "@pay/testing";
import { register } from "prom-client";
import { type Client, connect } from "../src/index.ts";

const MAIN = fileURLToPath(new URL("./replica-main.ts", import.meta.url));
/** Longer than a busy machine leaves a process without its turn: that would end a call of every worker. */
const TIMEOUT_MS = 3_000;
const WORKERS = 8;

const runtime = createTestRuntime("frozen-replica");
const children: ChildProcess[] = [];
/** How often a call ended in which way. */
const outcomes = new Map<string, number>();
let client: Client<typeof CustomersService>;

async function startReplica(): Promise<string> {
  const child = spawn(process.execPath, [MAIN], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return String(line);
}

/** The process that answered, or undefined. */
async function call(): Promise<number | undefined> {
  try {
    const { customer } = await client.getCustomer({ id: "cust_1" }, { timeoutMs: TIMEOUT_MS });
    count("ok");
    return Number(customer?.id.slice("cust_".length));
  } catch (error) {
    count(getKind(asFailure(error).errorCode));
    return undefined;
  }
}

function count(outcome: string) {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

beforeAll(async () => {
  const addresses = await Promise.all([startReplica(), startReplica(), startReplica()]);
  client = connect(CustomersService, `ipv4:${addresses.join(",")}`, runtime);
  const seen = new Set<number | undefined>();
  await until(async () => seen.add(await call()).size === 3, { what: "answers of all replicas" });
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await runtime.stop();
});

test("calls pass over a frozen replica, and return to it when it answers again", async () => {
  const frozen = children[0] as ChildProcess;
  await freezeProcess(Number(frozen.pid));
  const answers = { answered: 0, lost: 0 };
  // Each worker loses at most the call that it made before the replica was known to be silent, and one call at a time
  // finds out whether the replica answers again.
  const began = performance.now();
  function lostMax() {
    return WORKERS + 3 + (performance.now() - began) / TIMEOUT_MS;
  }

  function isEnough() {
    const isLong = performance.now() - began > 3 * TIMEOUT_MS;
    return isLong && answers.answered > 20 * answers.lost;
  }

  async function work() {
    while (!isEnough() && answers.lost <= lostMax()) {
      if ((await call()) === undefined) answers.lost++;
      else answers.answered++;
    }
  }

  await Promise.all(Array.from({ length: WORKERS }, work));
  expect(answers.lost).toBeLessThanOrEqual(lostMax());
  expect(answers.lost).toBeGreaterThan(0);
  expect(answers.answered).toBeGreaterThan(20 * answers.lost);

  frozen.kill("SIGCONT");
  await until(async () => (await call()) === frozen.pid, {
    what: "an answer of the thawed replica",
  });
});

test("each call to another service is measured with its outcome", async () => {
  const text = await register.getSingleMetricAsString("rpc_client_duration_seconds");
  const measured = text.matchAll(
    /^rpc_client_duration_seconds_count\{service="CustomersService",method="getCustomer",code="(\w+)"\} (\d+)$/gm,
  );
  const counts = Array.from(measured, ([, code, times]) => [code, Number(times)]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(outcomes));
  expect(outcomes.get("ok")).toBeGreaterThan(0);
  expect(outcomes.get("deadline_exceeded")).toBeGreaterThan(0);
});
