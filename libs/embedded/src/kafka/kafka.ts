// A real Kafka broker (KRaft, one node) as a child process, from its published jars. It keeps its log folder and
// port across restarts, so that a test can kill it and start the very same broker again.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Child, NeverReady, startChild } from "../processes/child.ts";
import type { ChildServer } from "../processes/handle.ts";
import { isTaken, onPort, PortTaken, saysPortTaken } from "../processes/port.ts";
import { exists, kafkaJars, requireJava } from "./kafka-jars.ts";
import { CoordinatorInactive, probeKafka } from "./kafka-probe.ts";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 120_000;
const FORMAT_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;
const PROBE_TIMEOUT_MS = 2_000;
const PROBE_PAUSE_MS = 50;
/** An election takes a fraction of it. */
const COORDINATOR_TIMEOUT_MS = 15_000;
const STARTS_MAX = 3;
const NOT_STARTED = "the Kafka broker did not start";
// Any 16 bytes do: a cluster of one node meets no other.
const CLUSTER_ID = "cGF5LWxvY2FsLWthZmthIQ";

export interface KafkaOptions {
  /** Its log; the same folder again is the same broker again. */
  dataDir: string;
  /** Absent or 0: a free one. */
  port?: number;
  /** Where its jars are; absent: a cache folder in the user's home, filled once. */
  jarsDir?: string | undefined;
  /** Its log is deleted when it ends, however that happens. */
  temporary?: boolean;
  /** More of the broker's own settings, e.g. message.max.bytes. */
  settings?: Readonly<Record<string, string | number>>;
  /** Where the broker stores its parsed classes when it stops. */
  storeClasses?: string;
  log?: (line: string) => void;
}

export interface Kafka extends ChildServer {
  readonly brokers: string[];
  readonly port: number;
}

export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  return onPort(options.port, (port) =>
    onPort(undefined, (controllerPort) => startKafkaOn(options, { port, controllerPort })),
  );
}

/** Java goes on without the file where there is none, or where another Java has written it. */
function getClassArchive(jars: string, java: string): string {
  return join(jars, `classes-${java}.jsa`);
}

/**
 * Fetches the jars and stores the broker's classes as Java has parsed them, once: a start then takes half the time.
 */
export async function prepareKafka(log: (line: string) => void): Promise<void> {
  const archive = getClassArchive(await kafkaJars(undefined, log), await requireJava());
  if (await exists(archive)) return;
  log("storing the classes of the Kafka broker, once");
  const dataDir = await mkdtemp(join(tmpdir(), "pay-kafka-classes-"));
  const storeClasses = join(dataDir, "classes.jsa");
  try {
    const kafka = await startKafka({ dataDir, storeClasses });
    await kafka.stop();
    await copyFile(storeClasses, `${archive}.${process.pid}`);
    await rename(`${archive}.${process.pid}`, archive);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Ports {
  port: number;
  controllerPort: number;
}

/** On those ports alone. */
export async function startKafkaOn(options: KafkaOptions, ports: Ports): Promise<Kafka> {
  const { dataDir, storeClasses, log } = options;
  const { port } = ports;
  const java = await requireJava();
  const jars = await kafkaJars(options.jarsDir, log);
  const classes = storeClasses
    ? `-XX:ArchiveClassesAtExit=${storeClasses}`
    : `-XX:SharedArchiveFile=${getClassArchive(jars, java)}`;
  const jvm = [...JVM, classes, "-cp", join(jars, "*")];
  await mkdir(dataDir, { recursive: true });
  const propertiesFile = join(dataDir, "server.properties");
  await writeFile(propertiesFile, buildProperties(options, ports));
  await formatOnce(dataDir, jvm, propertiesFile);

  for (let starts = 1; ; starts++) {
    const child = startChild({
      file: "java",
      args: [...jvm, "kafka.Kafka", propertiesFile],
      stopSteps: [{ signal: "SIGTERM", waitMs: STOP_TIMEOUT_MS }],
      orphanSignal: "KILL",
      folder: options.temporary ? dataDir : undefined,
    });
    try {
      await serving(child, ports);
      return { brokers: [`${HOST}:${port}`], port, ...child.handle };
    } catch (error) {
      // The log of a temporary one went with it.
      const isLast = !(error instanceof NeverReady) || options.temporary || starts === STARTS_MAX;
      if (isLast) throw error;
      log?.(`${error.message}; it starts again`);
    }
  }
}

// Small heap, few threads: it shares a small machine with everything else. The second compiler costs more processor
// time at each start than its faster code saves in a local product or a test.
const JVM = [
  "-XX:TieredStopAtLevel=1",
  "-Xmx512m",
  "-Xms256m",
  "-XX:+UseSerialGC",
  "-Djava.awt.headless=true",
  "-Dorg.apache.logging.log4j.level=ERROR",
];

function buildProperties(options: KafkaOptions, { port, controllerPort }: Ports): string {
  const settings: Record<string, string | number> = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@${HOST}:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://${HOST}:${port},CONTROLLER://${HOST}:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://${HOST}:${port}`,
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": getLogDir(options.dataDir),
    // A mistyped name must not create a topic.
    "auto.create.topics.enable": "false",
    "default.replication.factor": 1,
    "min.insync.replicas": 1,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 3,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    // A group of one need not wait for other members.
    "group.initial.rebalance.delay.ms": 0,
    // After a kill the next start may register once the last one counts as gone.
    "broker.session.timeout.ms": 1_500,
    "broker.heartbeat.interval.ms": 500,
    "num.network.threads": 2,
    "num.io.threads": 2,
    "background.threads": 2,
    "log.cleaner.dedupe.buffer.size": 8_388_608,
    ...options.settings,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

function getLogDir(dataDir: string) {
  return join(dataDir, "log");
}

async function formatOnce(dataDir: string, jvm: readonly string[], propertiesFile: string) {
  if (await exists(join(getLogDir(dataDir), "meta.properties"))) return;
  const format = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", propertiesFile];
  try {
    await promisify(execFile)("java", [...jvm, ...format], { timeout: FORMAT_TIMEOUT_MS });
  } catch (error) {
    const { stderr, stdout } = error as { stderr?: string; stdout?: string };
    throw new Error(`the log folder could not be prepared: ${reasonIn(`${stdout}\n${stderr}`)}`);
  }
}

/** Resolves when the broker serves topics and groups; rejects with its output when it gives up. */
async function serving(child: Child, { port, controllerPort }: Ports): Promise<void> {
  const notReady = await child.untilReady({
    probe: coordinatorProbe(port),
    timeoutMs: START_TIMEOUT_MS,
    pauseMs: PROBE_PAUSE_MS,
  });
  if (notReady === undefined) return;
  if (notReady.ended && saysPortTaken(child.output())) {
    throw new PortTaken((await isTaken(port)) ? port : controllerPort);
  }
  if (notReady.ended) throw new Error(`${NOT_STARTED}: ${reasonIn(child.output())}`);
  const { fault } = notReady;
  if (!(fault instanceof NeverReady)) throw new Error(`${NOT_STARTED}: ${fault.message}`);
  throw new NeverReady(`${NOT_STARTED}: ${fault.message} (${reasonIn(child.output())})`);
}

/**
 * A broker whose loading of the groups has failed, which happens rarely when its leadership is lost and won again
 * meanwhile, loads them only after another election, and one that is alone has none before its next start.
 */
function coordinatorProbe(port: number): () => Promise<void> {
  let inactiveSinceMs: number | undefined;
  return async () => {
    try {
      await probeKafka(HOST, port, PROBE_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof CoordinatorInactive)) {
        inactiveSinceMs = undefined;
        throw error;
      }
      const nowMs = performance.now();
      inactiveSinceMs ??= nowMs;
      if (nowMs - inactiveSinceMs < COORDINATOR_TIMEOUT_MS) throw error;
      throw new NeverReady(error.message);
    }
  };
}

/** Java writes many lines; the one that names an exception is the reason. */
function reasonIn(output: string): string {
  const lines = output.trim().split("\n");
  const telling = lines.find((line) => /Exception|Error\b/.test(line)) ?? lines.at(-1);
  return telling?.trim() || "it ended without output";
}
