// Where tests get a real Kafka: the address in TEST_KAFKA_BROKERS, else a broker from its published jars with Java
// (KAFKA_JARS_DIR, else a cache filled once with Maven). One broker serves all test files of a run; a prefix of its
// own keeps each file's topics and groups apart.
import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type Kafka, kafkaJars, startKafka } from "@pay/embedded";
import { RUN_ADDRESS } from "./run-parts.ts";
import { describeUnless } from "./unless.ts";

export interface TestKafka {
  brokers: string[];
  /** For createKafkaBus: no other test uses topics and groups under it. */
  topicPrefix: string;
}

const { TEST_KAFKA_BROKERS, KAFKA_JARS_DIR, PATH = "" } = process.env;

export async function testKafka(): Promise<TestKafka> {
  return {
    brokers: (TEST_KAFKA_BROKERS ?? (await brokerOfTheRun())).split(","),
    topicPrefix: `test-${randomUUID().slice(0, 8)}.`,
  };
}

export interface TestBroker extends TestKafka, Pick<Kafka, "freeze" | "thaw"> {
  /** Ends it as a crash does; its log and its port stay. */
  kill(): Promise<void>;
  /** The same broker again: same log, same port. */
  restart(): Promise<void>;
  drop(): Promise<void>;
}

/** A broker for one test alone, to be killed, frozen and brought back. */
export async function testBroker(
  settings: Record<string, string | number> = {},
  /** Where its settings name it; absent: a free one. */
  givenPort?: number,
): Promise<TestBroker> {
  const jars = KAFKA_JARS_DIR === undefined ? {} : { jarsDir: KAFKA_JARS_DIR };
  const dataDir = await mkdtemp(join(tmpdir(), "pay-broker-"));
  function start(port?: number) {
    const given = port === undefined ? {} : { port };
    return startKafka({ dataDir, settings, log: console.warn, ...jars, ...given });
  }

  let kafka = await start(givenPort);
  const { brokers, port } = kafka;
  return {
    brokers,
    topicPrefix: "",
    kill: () => kafka.kill(),
    freeze: () => kafka.freeze(),
    thaw: () => kafka.thaw(),
    restart: async () => {
      kafka = await start(port);
    },
    drop: async () => {
      await kafka.kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** For programs of other languages: where a Java client finds the jars of the broker. */
export async function kafkaClassPath(): Promise<string> {
  return join(await kafkaJars(KAFKA_JARS_DIR), "*");
}

export function describeWithKafka(name: string, body: () => void): void {
  describeUnless(TEST_KAFKA_BROKERS === undefined ? missingForBroker() : undefined, name, body);
}

/** For tests with testBroker: an address does not help them. */
export function describeWithBroker(name: string, body: () => void): void {
  describeUnless(missingForBroker(), name, body);
}

function missingForBroker(): string | undefined {
  if (!isOnPath("java")) return "no Kafka, for there is no java on the path";
  if (KAFKA_JARS_DIR !== undefined || existsSync(join(homedir(), ".cache", "pay")))
    return undefined;
  return isOnPath("mvn")
    ? undefined
    : "no Kafka, for there is no KAFKA_JARS_DIR and no mvn on the path";
}

function isOnPath(program: string): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function brokerOfTheRun(): Promise<string> {
  const runAddress = process.env[RUN_ADDRESS];
  if (runAddress === undefined) throw new Error("tests with a broker run through jest.config.mjs");
  const response = await fetch(`${runAddress}/kafka`, { signal: AbortSignal.timeout(300_000) });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}
