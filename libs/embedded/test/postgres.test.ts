import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createRoleAndDatabase, freezeProcess, type Postgres, startPostgres } from "@pay/embedded";
import { describeWithPostgres, until } from "@pay/testing";
import pg from "pg";

describeWithPostgres("a PostgreSQL of our own", () => {
  let folder: string;
  let dataDir: string;
  const started: Postgres[] = [];
  const owners: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pay-embedded-"));
    await chmod(folder, 0o755);
    dataDir = join(folder, "data");
  });
  afterEach(async () => {
    for (const owner of owners.splice(0)) owner.kill("SIGKILL");
    for (const server of started.splice(0)) await server.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(options: { port?: number } = {}): Promise<Postgres> {
    const server = await startPostgres({ dataDir, ...options });
    started.push(server);
    return server;
  }

  async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async function setting(server: Postgres, name: string) {
    return (await query(server.url(), `show ${name}`))[0]?.[name];
  }

  function isRunning(pid: number) {
    try {
      process.kill(pid, 0);
      // On Linux an ended process that its parent has not collected yet has a number but no command line.
      return process.platform !== "linux" || readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
    } catch {
      return false;
    }
  }

  /** Another process of ours that holds a server. */
  async function ownerOfServer() {
    const script = "libs/embedded/test/owner/start-postgres.ts";
    const owner = spawn(process.execPath, [script, dataDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    owners.push(owner);
    const [line] = await once(owner.stdout, "data");
    return {
      owner,
      server: JSON.parse(String(line)) as { pid: number; port: number; url: string },
    };
  }

  test("keeps what was committed through a stop", async () => {
    const first = await start();
    await query(first.url(), "create table kept as select 1 as n");
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(await query(second.url(), "select n from kept")).toEqual([{ n: 1 }]);
  });

  test("keeps what was committed through a crash, and is back on the same port", async () => {
    const first = await start();
    await query(first.url(), "create table kept as select 1 as n");
    await first.kill();
    const second = await start({ port: first.port });
    expect(second.url()).toBe(first.url());
    expect(await query(second.url(), "select n from kept")).toEqual([{ n: 1 }]);
  });

  test("writes everything it acknowledges, listens on loopback only and asks for a password", async () => {
    const server = await start();
    expect(await setting(server, "fsync")).toBe("on");
    expect(await setting(server, "synchronous_commit")).toBe("on");
    expect(await setting(server, "listen_addresses")).toBe("127.0.0.1");
    expect(await setting(server, "unix_socket_directories")).toBe("");
    const wrong = Object.assign(new URL(server.url()), { password: "guess" });
    await expect(query(wrong.href, "select 1")).rejects.toMatchObject({ code: "28P01" });
  });

  test("gives each service a role that owns one database and reaches no other", async () => {
    const server = await start();
    const [shop, bank] = [await server.provide("shop"), await server.provide("bank")];
    expect(await server.provide("shop")).toBe(shop);
    await query(shop, "create table mine (id int)");
    const elsewhere = Object.assign(new URL(shop), { pathname: new URL(bank).pathname });
    await expect(query(elsewhere.href, "select 1")).rejects.toMatchObject({ code: "42501" });
    expect(await query(shop, "select rolsuper from pg_roles where rolname = current_user")).toEqual(
      [{ rolsuper: false }],
    );
  });

  test("gives a role the password that is asked for, whatever is in its name", async () => {
    const server = await start();
    const [role, password, database] = ['odd "role"', "it's: @/?", "a b"];
    await createRoleAndDatabase(server.url(), { role, password, database });
    await createRoleAndDatabase(server.url(), { role, password, database });
    const address = `postgres://${[role, password].map(encodeURIComponent).join(":")}@127.0.0.1:${server.port}`;
    const url = `${address}/${encodeURIComponent(database)}`;
    expect(await query(url, "select current_user")).toEqual([{ current_user: role }]);
  });

  test("ends with the process that started it, even when that is killed", async () => {
    const { owner, server } = await ownerOfServer();
    await query(server.url, "create table kept as select 1 as n");
    owner.kill("SIGKILL");
    await until(() => !isRunning(server.pid), { what: "the end of the server" });
    expect(await query((await start()).url(), "select n from kept")).toEqual([{ n: 1 }]);
  });

  test("replaces a server whose owner is gone, but never one whose owner lives", async () => {
    const { owner, server } = await ownerOfServer();
    await expect(start()).rejects.toThrow(`process ${owner.pid} uses this data; stop it first`);
    expect(isRunning(server.pid)).toBe(true);
    // A frozen server cannot follow its guard's signal: it outlives its owner.
    await freezeProcess(server.pid);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    const next = await start();
    expect(isRunning(server.pid)).toBe(false);
    expect(await query(next.url(), "select 1 as n")).toEqual([{ n: 1 }]);
  });

  test("is not kept from starting by the number of a process that is gone or another's", async () => {
    await (await start()).stop();
    for (const pid of [process.pid, 2 ** 22 - 1]) {
      await writeFile(
        join(dataDir, "postmaster.pid"),
        `${pid}\n${dataDir}\n0\n5432\n\n127.0.0.1\n0 0\nready\n`,
      );
      await (await start()).stop();
    }
  });

  test("leaves no half-made data when it is killed while making it", async () => {
    const half = `${dataDir}.new-${2 ** 22 - 1}`;
    await mkdir(join(half, "data"), { recursive: true });
    await start();
    expect(await readdir(folder)).toEqual(["data"]);
  });

  test("stops in bounded time although a client holds a transaction open and the server is frozen", async () => {
    const server = await start();
    const client = new pg.Client({ connectionString: server.url() });
    client.on("error", () => {});
    await client.connect();
    await client.query("begin; create table never (id int)");
    await server.freeze();
    await server.stop();
    expect(isRunning(server.pid)).toBe(false);
    await client.end();
    const next = await start();
    expect(await query(next.url(), "select to_regclass('never') as never")).toEqual([
      { never: null },
    ]);
  });

  test("says in one line why it cannot start", async () => {
    await writeFile(join(folder, "file"), "");
    const inFile = startPostgres({ dataDir: join(folder, "file", "data") });
    await expect(inFile).rejects.toThrow(
      /did not start on .*: a part of the path is not a folder$/,
    );

    await mkdir(dataDir);
    await writeFile(join(dataDir, "something"), "");
    await expect(start()).rejects.toThrow(/the folder is not empty and holds no PostgreSQL data$/);
    await rm(dataDir, { recursive: true });

    await (await start()).stop();
    await writeFile(join(dataDir, "PG_VERSION"), "9\n");
    await expect(start()).rejects.toThrow(/initialized by PostgreSQL version 9/);
  });

  test("names the port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is taken by another program`,
    );
    other.close();
  });
});
