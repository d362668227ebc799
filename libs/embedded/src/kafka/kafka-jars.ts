// The jars of a Kafka broker, fetched once with Maven into a cache folder. The fetch goes into a folder of its own
// that is renamed when complete, so that a broken or a parallel fetch never leaves half a broker behind.
import { execFile } from "node:child_process";
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const POM = fileURLToPath(new URL("../../../../tools/kafka/pom.xml", import.meta.url));
const FETCH_TIMEOUT_MS = 300_000;
const JAVA_TIMEOUT_MS = 20_000;
const JAVA_MIN = 17;

/** The folder of the jars; fetched first where it is not there yet. */
export async function kafkaJars(given?: string, log: (line: string) => void = () => {}) {
  const folder = given ?? join(homedir(), ".cache", "pay", `kafka-${await pinnedVersion()}`);
  if (await exists(folder)) return folder;
  const fetching = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  log("fetching the jars of the Kafka broker, once");
  try {
    await fetchJars(fetching);
    // Another process has finished the same download first; its result is the same.
    await rename(fetching, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(fetching, { recursive: true, force: true });
  }
  return folder;
}

/** Java's version; refuses in one line what would otherwise fail with a stack of Java's own. */
export async function requireJava(): Promise<string> {
  const { stderr } = await run("java", ["-version"], { timeout: JAVA_TIMEOUT_MS }).catch(
    (error) => {
      throw new Error(`a local Kafka needs Java ${JAVA_MIN} or newer: ${getReason(error, "java")}`);
    },
  );
  const version = /version "([^"]+)"/.exec(stderr)?.[1] ?? "unknown";
  if (!(Number.parseInt(version, 10) >= JAVA_MIN)) {
    throw new Error(`a local Kafka needs Java ${JAVA_MIN} or newer: this one is ${version}`);
  }
  return version;
}

async function fetchJars(folder: string): Promise<void> {
  const goal = ["dependency:copy-dependencies", "-DincludeScope=runtime"];
  try {
    await run("mvn", ["-B", "-q", "-f", POM, ...goal, `-DoutputDirectory=${folder}`], {
      timeout: FETCH_TIMEOUT_MS,
    });
  } catch (error) {
    throw new Error(`the jars of a local Kafka could not be fetched: ${getReason(error, "mvn")}`);
  }
}

// Maven's own output names the registry it is configured with, so it is not passed on; only the outcome is logged.
function getReason(error: unknown, program: string): string {
  const { code, killed } = error as { code?: string | number; killed?: boolean };
  if (code === "ENOENT") return `${program} is not installed`;
  return killed ? `${program} took too long` : `${program} ended with ${code}`;
}

async function pinnedVersion(): Promise<string> {
  const pom = await readFile(POM, "utf8");
  return /<artifactId>kafka_[\d.]+<\/artifactId>\s*<version>([\d.]+)</.exec(pom)?.[1] ?? "local";
}

export function exists(path: string) {
  return access(path).then(
    () => true,
    () => false,
  );
}
