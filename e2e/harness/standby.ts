// A second server that follows the first one by streaming replication, made from a base backup while the first one
// works.
import { execFile } from "node:child_process";
import { chown, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Postgres, startPostgres } from "@pay/embedded";
import pg from "pg";
import type { Cluster } from "./distributed.ts";

const NAME = "standby";

/** From then on the first one acknowledges what both have on disk. */
export async function startStandby(
  { postgres: primary }: Cluster,
  dataDir: string,
): Promise<Postgres> {
  const client = new pg.Client(primary.superuserUrl("postgres"));
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_create_physical_replication_slot($1, true)", [NAME]);
    await client.query("select pg_backup_start($1, true)", [NAME]);
    await promisify(execFile)("cp", ["-a", primary.dataDir, dataDir]);
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    await rm(join(dataDir, "postmaster.pid"));
    await writeOwned(dataDir, "backup_label", rows[0].labelfile);
    await writeOwned(dataDir, "standby.signal", "");
    const { password } = new URL(primary.superuserUrl("postgres"));
    const connection = `host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=${NAME}`;
    await writeOwned(
      dataDir,
      "postgresql.auto.conf",
      `primary_conninfo = '${connection}'\nprimary_slot_name = '${NAME}'\n`,
    );
    const standby = await startPostgres({ dataDir });
    await client.query(`alter system set synchronous_standby_names = '${NAME}'`);
    await client.query("select pg_reload_conf()");
    return standby;
  } finally {
    await client.end();
  }
}

/** The server runs as the account that owns its folder. */
async function writeOwned(dataDir: string, name: string, content: string): Promise<void> {
  const { uid, gid } = await stat(dataDir);
  await writeFile(join(dataDir, name), content, { mode: 0o600 });
  await chown(join(dataDir, name), uid, gid);
}

export async function promote(standby: Postgres): Promise<void> {
  const client = new pg.Client(standby.url());
  await client.connect();
  try {
    const { rows } = await client.query("select pg_promote() as is_done");
    if (!rows[0].is_done) throw new Error("the standby was not promoted");
  } finally {
    await client.end();
  }
}
