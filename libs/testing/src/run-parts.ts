// The parts that all test files of one run share. They live in the process that starts the run, which hands out
// their addresses on a loopback port; each part is started when the first test file asks for it. Jest calls this
// once before and once after the run (jest.config.mjs); should it be killed instead, the parts end with it.
import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isRunning, type Kafka, type Postgres, startKafka, startPostgres } from "@pay/embedded";
import pg from "pg";
import type { StartedTestContainer } from "testcontainers";
import { filesInMemory } from "./files-in-memory.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Set by this file for the test files: where to ask for a part. */
export const RUN_ADDRESS = "TEST_RUN_ADDRESS";

/** For a process with an environment of its own: it need not compile what others have compiled in this run. */
export function shareCompiledCode() {
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
}

const FOLDER_PREFIX = "pay-test-run-";
const TESTER = "tester";
const POSTGRES_IMAGE = "postgres:18-alpine";
const POSTGRES_PORT = 5432;
/** The data ends with the run, so no commit waits for the disk. Servers that tests kill keep the defaults. */
const WITHOUT_DISK = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

interface Run {
  folder: string;
  server: Server;
  postgres?: Promise<Postgres>;
  kafka?: Promise<Kafka>;
  container?: Promise<StartedTestContainer>;
}

let run: Run | undefined;

export async function startRun(): Promise<void> {
  const parent = process.env.TMPDIR ?? filesInMemory();
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
  await chmod(folder, 0o755); // PostgreSQL runs as another account when we are root.
  // What test files leave behind when they are killed goes with the run's folder.
  process.env.TMPDIR = join(folder, "tmp");
  await mkdir(process.env.TMPDIR);
  await chmod(process.env.TMPDIR, 0o1777);
  const server = createServer((request, response) => {
    // A connection that is kept is closed after a while, just when a busy test file may send its next request on it.
    response.setHeader("connection", "close");
    const answer = parts[request.url ?? ""]?.();
    if (answer === undefined) return void response.writeHead(404).end();
    answer.then(
      (url) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env[RUN_ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The product's processes that tests start share their compiled code.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  run = { folder, server };
}

export async function stopRun(): Promise<void> {
  if (run === undefined) return;
  const { folder, server, postgres, kafka, container } = run;
  run = undefined;
  server.close();
  server.closeAllConnections();
  await (await postgres?.catch(() => undefined))?.stop();
  await (await kafka?.catch(() => undefined))?.kill();
  await (await container?.catch(() => undefined))?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The broker's address. */
async function kafkaBroker(): Promise<string> {
  if (run === undefined) throw new Error("the test run has ended");
  const { KAFKA_JARS_DIR: jarsDir } = process.env;
  run.kafka ??= startKafka({ dataDir: join(run.folder, "kafka"), temporary: true, jarsDir });
  return (await run.kafka).brokers.join();
}

/** The address of a role that may create databases but is no superuser, as a service's own role is none. */
async function postgresUrl(): Promise<string> {
  if (run === undefined) throw new Error("the test run has ended");
  run.postgres ??= startForTests(run.folder);
  const postgres = await run.postgres;
  return postgres.url(TESTER, TESTER);
}

const parts: Record<string, () => Promise<string>> = {
  "/postgres": postgresUrl,
  "/kafka": kafkaBroker,
  "/container-postgres": containerPostgresUrl,
};

async function startForTests(folder: string): Promise<Postgres> {
  const postgres = await startPostgres({
    dataDir: join(folder, "postgres"),
    settings: { max_connections: 400, shared_buffers: "256MB", ...WITHOUT_DISK },
  });
  await postgres.provide(TESTER);
  await runAsSuperuser(postgres.url(), [`alter role ${TESTER} createdb`]);
  return postgres;
}

/** The same role in a container of PostgreSQL's own image. */
async function containerPostgresUrl(): Promise<string> {
  if (run === undefined) throw new Error("the test run has ended");
  run.container ??= startContainer();
  const container = await run.container;
  const address = `${container.getHost()}:${container.getMappedPort(POSTGRES_PORT)}`;
  return `postgresql://${TESTER}:${TESTER}@${address}/${TESTER}`;
}

async function startContainer(): Promise<StartedTestContainer> {
  // The library's clean-up helper is one more image, which may not be available.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= "true";
  const { GenericContainer, Wait } = await import("testcontainers");
  const settings = Object.entries({ max_connections: 400, ...WITHOUT_DISK });
  const container = await new GenericContainer(POSTGRES_IMAGE)
    .withEnvironment({ POSTGRES_PASSWORD: TESTER })
    .withCommand(["postgres", ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])])
    .withExposedPorts(POSTGRES_PORT)
    // The image starts the server once to initialise it and then again.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(POSTGRES_PORT)}`;
  await runAsSuperuser(`postgresql://postgres:${TESTER}@${address}/postgres`, [
    `create role ${TESTER} login createdb password '${TESTER}'`,
    `create database ${TESTER} owner ${TESTER}`,
  ]);
  return container;
}

async function runAsSuperuser(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, query_timeout: PATIENCE_MS });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(
      name.startsWith(FOLDER_PREFIX) && name.slice(FOLDER_PREFIX.length).split("-")[0],
    );
    if (!pid || isRunning(pid)) continue;
    // What a killed run left may still be ending and writing: then a later run removes it.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}
