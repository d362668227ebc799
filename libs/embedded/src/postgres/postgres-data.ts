// The data folder of a PostgreSQL of our own. It is made beside its place and moved there when complete, so that a
// crash while it is made leaves nothing that looks like data. The superuser's password is made with it and kept in
// it; passwords of other roles follow from it, so no second secret has to be kept.
import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { access, chown, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { isRunning } from "../processes/process-table.ts";
import type { Account } from "./postgres-account.ts";

export const SUPERUSER = "postgres";

/** Where the server's programs find a shell; nothing else of our environment concerns them. */
export const SERVER_ENV = { LC_ALL: "C", PATH: "/usr/local/bin:/usr/bin:/bin" };

const PASSWORD_FILE = "superuser-password";
const INIT_TIMEOUT_MS = 120_000;

// Fixed collation and messages: the same order of text on every machine, and reasons we can read.
const INIT_OPTIONS = [
  `--username=${SUPERUSER}`,
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--no-instructions",
];

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

/** Makes the data folder unless it is there. */
export async function prepareData(
  dataDir: string,
  initdb: string,
  account: Account,
): Promise<void> {
  if (await exists(join(dataDir, "PG_VERSION"))) return;
  await mkdir(dirname(dataDir), { recursive: true });
  await removeAbandoned(dataDir);
  const workDir = `${dataDir}.new-${process.pid}`;
  try {
    await initialise(workDir, initdb, account);
    await rename(join(workDir, "data"), dataDir);
  } catch (error) {
    // Another process may have been first; then its data is as good as ours.
    if (!(await exists(join(dataDir, "PG_VERSION")))) throw error;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function initialise(workDir: string, initdb: string, account: Account): Promise<void> {
  const data = join(workDir, "data");
  const passwordFile = join(workDir, "password");
  await mkdir(workDir, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  await own(account, workDir, passwordFile);
  const { file, args, options } = account.command(initdb, [
    ...INIT_OPTIONS,
    `--pgdata=${data}`,
    `--pwfile=${passwordFile}`,
  ]);
  try {
    const { uid, gid } = options;
    await promisify(execFile)(file, args, {
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
      cwd: "/",
      env: SERVER_ENV,
      timeout: INIT_TIMEOUT_MS,
    });
  } catch (error) {
    const { stderr = "", message } = error as { stderr?: string; message: string };
    throw new Error(stderr.trim().split("\n").slice(-3).join("; ") || message);
  }
  await rename(passwordFile, join(data, PASSWORD_FILE));
}

async function own({ owner }: Account, ...paths: string[]): Promise<void> {
  if (owner === undefined) return;
  for (const path of paths) await chown(path, owner.uid, owner.gid);
}

/** The remains of a start that was killed half way. */
async function removeAbandoned(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.new-`;
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    await rm(join(dirname(dataDir), name), { recursive: true, force: true });
  }
}

/** Gives every role of this data its password. */
export async function readPasswords(dataDir: string): Promise<(role: string) => string> {
  const secret = (await readFile(join(dataDir, PASSWORD_FILE), "utf8")).trim();
  return (role) =>
    role === SUPERUSER ? secret : createHmac("sha256", secret).update(role).digest("base64url");
}
