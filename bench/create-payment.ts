// Does the split into services cost throughput where it matters most? POST /v1/payments through the gateway
// process, gRPC, the payments process and Postgres, beside two programs that do the same durable work in one
// process. One run, one load generator, taken in turns; medians of the rounds. No broker is running in all three:
// the measured work ends with the commit of the outbox row. No rate limits. What tracing costs is measured beside them:
// the product a second time, with one request in a hundred traced.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "@pay/database";
import { leasePort, type startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import { getSchema } from "@pay/standalone";
import { KEY } from "./baselines/order.ts";
import { startGatewayAndPayments } from "./bench-product.ts";
import { figure, median } from "./figures.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { makeCreation } from "./requests.ts";

const ROUNDS = 5;
const CONNECTIONS = [1, 32, 128];
const TRACED = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" };
const DURATION_MS = 2_500;
const WARM_UP_MS = 1_500;

interface Subject {
  name: "ours" | "traced" | "raw" | "monolith";
  port: number;
  key: string;
  chainId: number;
}

export function run(): Promise<void> {
  return withUndo(compare);
}

async function compare(undo: Undo): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const { port, key, chainId, postgres } = await startGatewayAndPayments(folder, undo);
  const subjects: Subject[] = [{ name: "ours", port, key, chainId }, await startTraced(undo)];
  for (const name of ["raw", "monolith"] as const) {
    subjects.push({ name, port: await startBaseline(name, postgres, undo), key: KEY, chainId });
  }
  for (const subject of subjects) await measure(subject, 32, WARM_UP_MS);

  const results = new Map<string, LoadResult[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const connections of CONNECTIONS) {
      for (const subject of subjects) {
        const result = await measure(subject, connections, DURATION_MS);
        const name = `${subject.name} ${connections}`;
        results.set(name, [...(results.get(name) ?? []), result]);
      }
    }
  }
  report(results);
}

async function startTraced(undo: Undo): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const collector = createServer((request, response) => {
    request.resume().once("end", () => response.end());
  });
  const collectorPort = await leasePort();
  collector.listen(collectorPort, "127.0.0.1");
  undo.push(async () => void collector.close());
  const address = `http://127.0.0.1:${collectorPort}`;
  const given = { ...TRACED, OTEL_EXPORTER_OTLP_ENDPOINT: address };
  const { port, key, chainId } = await startGatewayAndPayments(folder, undo, { given });
  return { name: "traced", port, key, chainId };
}

async function startBaseline(
  name: string,
  postgres: Awaited<ReturnType<typeof startPostgres>>,
  undo: Undo,
): Promise<number> {
  const url = await postgres.provide(`bench_${name}`);
  await migrate({ url, ...getSchema("payments"), log: createLog("bench", "error") });
  const port = await leasePort();
  const file = fileURLToPath(new URL(`./baselines/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, NODE_ENV: "production", DATABASE_URL: url, PORT: `${port}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  undo.push(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  await answering(port);
  return port;
}

async function answering(port: number): Promise<void> {
  const until = Date.now() + 20_000;
  while (Date.now() < until) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answers on port ${port}`);
}

let requests = 0;

async function measure(
  subject: Subject,
  connections: number,
  durationMs: number,
): Promise<LoadResult> {
  const result = await runLoad({
    port: subject.port,
    connections,
    durationMs,
    request: () => makeCreation(subject, requests++),
  });
  const created = result.statuses.get(201) ?? 0;
  const all = [...result.statuses.values()].reduce((sum, count) => sum + count, 0);
  if (created !== all) {
    throw new Error(`${subject.name}: ${JSON.stringify([...result.statuses])} instead of 201 only`);
  }
  return result;
}

function report(results: Map<string, LoadResult[]>): void {
  function of(name: string, read: (result: LoadResult) => number) {
    return median((results.get(name) ?? []).map(read));
  }

  // Ratios round by round, then their median: a slow period of the machine affects both sides of a round.
  function ratio(a: string, b: string, read: (result: LoadResult) => number) {
    return median(
      (results.get(a) ?? []).map((result, round) => {
        const other = results.get(b)?.[round];
        return other === undefined ? Number.NaN : read(result) / read(other);
      }),
    );
  }

  function perS(result: LoadResult) {
    return result.perS;
  }

  for (const name of results.keys()) {
    const [subject, connections] = name.split(" ");
    const label = `create-payment.${subject}_${connections}`;
    figure(`${label}_per_s`, of(name, perS), "requests/s");
    figure(
      `${label}_p50_ms`,
      of(name, (result) => result.p50Ms),
      "ms",
    );
    figure(
      `${label}_p99_ms`,
      of(name, (result) => result.p99Ms),
      "ms",
    );
  }
  figure("create-payment.ratio_to_monolith", ratio("ours 32", "monolith 32", perS), "x");
  figure("create-payment.ratio_to_raw", ratio("ours 32", "raw 32", perS), "x");
  figure("create-payment.ratio_traced", ratio("traced 32", "ours 32", perS), "x");
  const single = ratio("ours 1", "monolith 1", (result) => result.p50Ms);
  figure("create-payment.p50_ratio_single", single, "x");
  figure(
    "create-payment.p99_ms",
    of("ours 32", (result) => result.p99Ms),
    "ms",
  );
}
