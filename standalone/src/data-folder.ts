// The folder that holds everything a local product keeps: databases, chain, secrets, credentials. One product at
// a time may use it; the lock names its owner, so that a lock left by a crash does not count.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CALLERS } from "@pay/rpc";

/** A fault that the user can correct; shown as one line without a stack. */
export class StartFault extends Error {}

export interface DataFolder {
  readonly path: string;
  /** Writes a file only its owner may read. */
  writePrivate(name: string, value: object): void;
  read<T>(name: string): T | undefined;
  release(): void;
}

const LOCK = "product.lock";

/**
 * The server that Postgres runs as may be another account: it must be able to pass through the folder, though not
 * to read it, so a folder with databases inside is made passable.
 */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o711);
    takeLock(join(folder, LOCK));
  } catch (error) {
    if (error instanceof StartFault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartFault(
      `the data folder ${folder} cannot be written (${code}); set DATA_DIR to another`,
    );
  }
  return {
    path: folder,
    writePrivate: (name, value) => {
      const text = `${JSON.stringify(value, null, 2)}\n`;
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    },
    read: <T>(name: string) => readJson<T>(join(folder, name)),
    release: () => rmSync(join(folder, LOCK), { force: true }),
  };
}

export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return undefined;
  }
}

function takeLock(file: string): void {
  try {
    writeFileSync(file, `${process.pid}`, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const owner = Number(readFileSync(file, "utf8"));
    if (owner !== process.pid && isRunning(owner)) {
      throw new StartFault(`another product (process ${owner}) already runs on this data folder`);
    }
    writeFileSync(file, `${process.pid}`);
  }
}

/** A process id that now belongs to another program is no owner. Where that is unknown, the lock is valid. */
function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("node");
  } catch {
    return process.platform !== "linux";
  }
}

export interface Secrets {
  GATEWAY_KEY_PEPPER: string;
  PAYMENTS_CLIENT_SECRET_KEYS: string;
  WEBHOOKS_SECRET_KEYS: string;
  /** The caller tokens of each service that calls others. */
  [callerTokens: `${string}_CALLER_TOKENS`]: string;
}

/** Made once: keys hashed under another pepper, or secrets sealed under another key, would be lost. */
export function readSecrets(folder: DataFolder): Secrets {
  const kept = folder.read<Partial<Secrets>>("secrets.json");
  const secrets: Secrets = {
    GATEWAY_KEY_PEPPER: `1:${randomBytes(32).toString("base64url")}`,
    PAYMENTS_CLIENT_SECRET_KEYS: `1:${randomBytes(32).toString("base64url")}`,
    WEBHOOKS_SECRET_KEYS: `1:${randomBytes(32).toString("base64")}`,
    ...Object.fromEntries(
      CALLERS.map((name) => [
        `${name.toUpperCase()}_CALLER_TOKENS`,
        randomBytes(32).toString("base64url"),
      ]),
    ),
    ...kept,
  };
  folder.writePrivate("secrets.json", secrets);
  return secrets;
}
