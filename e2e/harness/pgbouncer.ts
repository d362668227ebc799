// PgBouncer in transaction mode before a PostgreSQL, from the machine's own package.
import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leasePort } from "@pay/embedded";
import { until } from "@pay/testing";
import { isServing } from "./is-serving.ts";

const ANSWER_TIMEOUT_MS = 2_000;

export interface PgBouncer {
  /** The same database through the pooler. */
  pooledAddress(direct: string): string;
  stop(): Promise<void>;
}

export function missingPgBouncer(): string | undefined {
  return spawnSync("pgbouncer", ["--version"]).status === 0 ? undefined : "pgbouncer";
}

export async function startPgBouncer(addresses: readonly string[]): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), "pay-pgbouncer-"));
  await chmod(folder, 0o755); // As root it changes to another account.
  const port = await leasePort();
  const direct = addresses.map((address) => new URL(address));
  const users = direct.map(
    ({ username, password }) => `"${username}" "${decodeURIComponent(password)}"`,
  );
  await writeFile(join(folder, "users.txt"), users.join("\n"), { mode: 0o644 });
  const databases = direct.map(
    (url) => `${url.pathname.slice(1)} = host=${url.hostname} port=${url.port}`,
  );
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, buildSettings({ databases, port, folder }), { mode: 0o644 });
  const account = process.getuid?.() === 0 ? ["-u", "daemon"] : [];
  const child = spawn("pgbouncer", ["-q", ...account, file], { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));

  function pooledAddress(text: string) {
    const url = Object.assign(new URL(text), { hostname: "127.0.0.1", port: `${port}` });
    url.searchParams.set("pooler", "transaction");
    return url.href;
  }

  const pooled = new URL(pooledAddress(addresses[0] ?? ""));
  pooled.search = "";
  await until(() => isServing(pooled.href, ANSWER_TIMEOUT_MS), { what: "an answer of PgBouncer" });
  return {
    pooledAddress: pooledAddress,
    stop: async () => {
      child.kill("SIGINT");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function buildSettings(given: { databases: string[]; port: number; folder: string }): string {
  return [
    "[databases]",
    ...given.databases,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${given.port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${join(given.folder, "users.txt")}`,
    "pool_mode = transaction",
    "default_pool_size = 5",
    "max_client_conn = 500",
    "",
  ].join("\n");
}
