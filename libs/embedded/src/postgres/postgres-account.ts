// PostgreSQL refuses to run as root, and containers and build machines often are root. There the server runs as
// the account that owns its data, "nobody" for new data. Where that account cannot even reach the folder (a
// checkout below /root), the server keeps the one capability that lets it pass, through setpriv of util-linux.
import { execFile, type SpawnOptions } from "node:child_process";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

export interface Account {
  /** The account new data belongs to; absent when we are not root and all is our own. */
  owner?: { uid: number; gid: number };
  /** How to run one of the server's programs under the account. */
  command(program: string, args: string[]): { file: string; args: string[]; options: SpawnOptions };
}

const UNPRIVILEGED = "nobody";
const OTHERS_MAY_PASS = 0o001;

const ownAccount: Account = {
  command: (file, args) => ({ file, args, options: {} }),
};

/** The account for a data folder and the programs that serve it. */
export async function accountFor(dataDir: string, program: string): Promise<Account> {
  if (process.getuid?.() !== 0) return ownAccount;
  const owner = (await getOwner(dataDir)) ?? (await unprivileged());
  const { uid, gid } = owner;
  if ((await isReachable(dirname(dataDir))) && (await isReachable(program))) {
    return { owner, command: (file, args) => ({ file, args, options: { uid, gid } }) };
  }
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...KEEP_PASSAGE];
  await requireSetpriv(drop, dataDir);
  return {
    owner,
    command: (file, args) => ({ file: "setpriv", args: [...drop, file, ...args], options: {} }),
  };
}

const KEEP_PASSAGE = [
  "--inh-caps=+dac_override",
  "--ambient-caps=+dac_override",
  // Or the server's own look at its files, through access(2), would be without the capability.
  "--securebits=+no_setuid_fixup",
];

/** Data stays with the account that created it: the same folder works as root and as its owner. */
async function getOwner(dataDir: string): Promise<Account["owner"]> {
  const found = await stat(dataDir).catch(() => undefined);
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
}

async function unprivileged(): Promise<{ uid: number; gid: number }> {
  const accounts = await readFile("/etc/passwd", "utf8").catch(() => "");
  const line = accounts.split("\n").find((entry) => entry.startsWith(`${UNPRIVILEGED}:`));
  const [uid, gid] = (line?.split(":") ?? []).slice(2, 4).map((text) => Number(text) >>> 0);
  if (uid === undefined || gid === undefined) {
    throw new Error(`PostgreSQL cannot run as root and there is no account "${UNPRIVILEGED}" here`);
  }
  return { uid, gid };
}

async function isReachable(path: string): Promise<boolean> {
  for (let at = await nearestExisting(path); at !== "/"; at = dirname(at)) {
    if (((await stat(at)).mode & OTHERS_MAY_PASS) === 0) return false;
  }
  return true;
}

async function nearestExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return nearestExisting(dirname(path));
  }
}

async function requireSetpriv(drop: string[], dataDir: string): Promise<void> {
  try {
    await promisify(execFile)("setpriv", [...drop, "true"]);
  } catch {
    throw new Error(
      `PostgreSQL cannot run as root, and the account "${UNPRIVILEGED}" cannot reach ${dataDir}: ` +
        "move the project to a folder that others may enter, or start it as an ordinary user",
    );
  }
}
