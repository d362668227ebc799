// A real Kafka broker (KRaft, one node) as a child process, from its published jars. It keeps its log folder and
// port across restarts, so that a test can kill it and bring the very same broker back. Ctrl-C reaches us, not it;
// when our process ends without a word, a guard ends the broker.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { endWithUs } from "./end-with-us.ts";
import { freePort, requireFreePort } from "./free-port.ts";
import { kafkaJars, requireJava } from "./kafka-jars.ts";
import { probeKafka } from "./kafka-probe.ts";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 120_000;
const FORMAT_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;
const PROBE_TIMEOUT_MS = 2_000;
const PROBE_PAUSE_MS = 50;
const SAID_CHARS_MAX = 4_000;
// Any 16 bytes do: a cluster of one node meets no other.
const CLUSTER_ID = "cGF5LWxvY2FsLWthZmthIQ";

export interface KafkaOptions {
  /** Its log; the same folder again is the same broker again. */
  dataDir: string;
  /** Absent or 0: a free one. */
  port?: number;
  /** Where its jars are; absent: a cache folder in the user's home, filled once. */
  jarsDir?: string | undefined;
  /** Its log goes when it goes, however that happens. */
  temporary?: boolean;
  /** More of the broker's own settings, e.g. message.max.bytes. */
  settings?: Readonly<Record<string, string | number>>;
  log?: (line: string) => void;
}

export interface Kafka {
  readonly brokers: string[];
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Stands still but looks alive, as a broker behind a broken network does. */
  freeze(): void;
  thaw(): void;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
}

export const startKafka = async (options: KafkaOptions): Promise<Kafka> => {
  const { dataDir, log } = options;
  await requireJava();
  const classPath = join(await kafkaJars(options.jarsDir, log), "*");
  const port = options.port ? await requireFreePort(options.port, HOST) : await freePort(HOST);
  await mkdir(dataDir, { recursive: true });
  const propertiesFile = join(dataDir, "server.properties");
  await writeFile(propertiesFile, propertiesOf(options, port, await freePort(HOST)));
  await formatOnce(dataDir, classPath, propertiesFile);

  const child = spawn("java", [...JVM, "-cp", classPath, "kafka.Kafka", propertiesFile], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const release = guarded(child, options.temporary ? dataDir : undefined);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  }).finally(release);
  await serving(child, port, exited);

  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    child.kill("SIGCONT"); // A frozen process takes no SIGTERM.
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  return {
    brokers: [`${HOST}:${port}`],
    port,
    pid: child.pid as number,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    exited,
  };
};

// Small heap, few threads: it shares a small machine with everything else.
const JVM = [
  ...["-Xmx512m", "-Xms256m", "-XX:+UseSerialGC", "-Djava.awt.headless=true"],
  "-Dorg.apache.logging.log4j.level=ERROR",
];

const propertiesOf = (options: KafkaOptions, port: number, controllerPort: number): string => {
  const settings: Record<string, string | number> = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@${HOST}:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://${HOST}:${port},CONTROLLER://${HOST}:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://${HOST}:${port}`,
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": logDirOf(options.dataDir),
    // Nobody may get a topic by a slip of the pen.
    "auto.create.topics.enable": "false",
    "default.replication.factor": 1,
    "min.insync.replicas": 1,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 3,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    // A group of one needs not wait for others to come.
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
};

const logDirOf = (dataDir: string) => join(dataDir, "log");

const formatOnce = async (dataDir: string, classPath: string, propertiesFile: string) => {
  const meta = join(logDirOf(dataDir), "meta.properties");
  if (
    await access(meta).then(
      () => true,
      () => false,
    )
  )
    return;
  const format = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", propertiesFile];
  try {
    await promisify(execFile)("java", [...JVM, "-cp", classPath, ...format], {
      timeout: FORMAT_TIMEOUT_MS,
    });
  } catch (error) {
    const { stderr, stdout } = error as { stderr?: string; stdout?: string };
    throw new Error(`the log folder could not be prepared: ${reasonIn(`${stdout}\n${stderr}`)}`);
  }
};

/** Resolves when the broker serves topics and groups; rejects with what it said when it gives up. */
const serving = async (child: ChildProcess, port: number, exited: Promise<void>) => {
  let said = "";
  let ended = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-SAID_CHARS_MAX);
    });
  }
  void exited.then(() => {
    ended = true;
  });
  const until = Date.now() + START_TIMEOUT_MS;
  let reason = "";
  while (!ended && Date.now() < until) {
    try {
      return await probeKafka(HOST, port, PROBE_TIMEOUT_MS);
    } catch (error) {
      reason = (error as Error).message;
      await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
    }
  }
  child.kill("SIGKILL");
  throw new Error(`the Kafka broker did not start: ${ended ? reasonIn(said) : reason}`);
};

/** Answers what to call when the broker has ended. */
const guarded = (child: ChildProcess, folder?: string): (() => void) => {
  // Or a forgotten broker would keep our process from ending.
  for (const part of [child, child.stdout, child.stderr]) (part as Socket | null)?.unref();
  return child.pid === undefined ? () => {} : endWithUs(child.pid, "KILL", folder);
};

/** Java says much; the line that names an exception is the one to read. */
const reasonIn = (said: string): string => {
  const lines = said.trim().split("\n");
  const telling = lines.find((line) => /Exception|Error\b/.test(line)) ?? lines.at(-1);
  return telling?.trim() || "it ended without a word";
};
