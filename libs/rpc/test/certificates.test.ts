// Mutual TLS between a server and its clients, with folders in the form of cert-manager's Secrets.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { createLog, createTestRuntime, type Lifecycle } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { type Authority, createAuthority, until } from "@pay/testing";
import { connect, implement, serve } from "../src/index.ts";
import { completeHandlers } from "./some-of.ts";

const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of undo.reverse()) await stop();
});

const handlers = completeHandlers({ getCustomer: async () => ({}) });
const token = "t".repeat(32);
const authority = createAuthority();
const stranger = createAuthority();

interface Contents {
  authority: Authority;
  names?: string[];
  /** The authority that the process accepts, where it is another one than its own. */
  trusts?: Authority;
}

function fill(folder: string, { authority, names = ["localhost"], trusts = authority }: Contents) {
  const { cert, key } = authority.issue({ names });
  for (const [name, text] of Object.entries({
    "tls.crt": cert,
    "tls.key": key,
    "ca.crt": trusts.ca,
  })) {
    writeFileSync(join(folder, name), text);
  }
}

function createFolder(contents: Contents): string {
  const folder = mkdtempSync(join(tmpdir(), "pay-tls-"));
  undo.push(() => rmSync(folder, { recursive: true }));
  fill(folder, contents);
  return folder;
}

function createRuntime(tlsDir: string | undefined, lines: string[] = []) {
  const callers = { gateway: [token] };
  const identity = { token, callers, ...(tlsDir !== undefined && { tlsDir }) };
  const log = createLog("rpc", "info", { write: (line) => lines.push(line) });
  const runtime = createTestRuntime("rpc", { identity, log });
  undo.push(() => runtime.stop());
  return runtime;
}

async function start(tlsDir: string | undefined, lines?: string[]) {
  const runtime = createRuntime(tlsDir, lines);
  const services = [implement(CustomersService, { ...handlers })];
  const { address } = await serve({ runtime, port: 0, services });
  return address.replace("127.0.0.1", "localhost");
}

function createCaller(address: string, runtime: Lifecycle): () => Promise<string> {
  const client = connect(CustomersService, address, runtime);
  return () =>
    client.getCustomer({ id: "cust_1" }).then(
      () => "answered",
      ({ errorCode }) => errorCode,
    );
}

/** The answer of a server to a process that has just started. */
async function call(address: string, tlsDir: string | undefined): Promise<string> {
  const runtime = createRuntime(tlsDir);
  const answer = await createCaller(address, runtime)();
  await runtime.stop();
  return answer;
}

test("a server answers a client with a certificate of its authority, and no other", async () => {
  const own = createFolder({ authority });
  const address = await start(own);
  expect(await call(address, createFolder({ authority, names: ["gateway"] }))).toBe("answered");
  expect(await call(address, undefined)).toBe("service_unavailable");
  const foreign = createFolder({ authority: stranger, trusts: authority });
  expect(await call(address, foreign)).toBe("service_unavailable");
});

test("a client calls a server that has the name it calls and a certificate of its authority, and no other", async () => {
  const own = createFolder({ authority });
  const otherName = await start(createFolder({ authority, names: ["refunds"] }));
  const foreign = await start(createFolder({ authority: stranger, trusts: authority }));
  const plaintext = await start(undefined);
  for (const address of [otherName, foreign, plaintext]) {
    expect(await call(address, own)).toBe("service_unavailable");
  }
});

test("both sides take up renewed files without a restart, and keep the old ones while new ones are unusable", async () => {
  const lines: string[] = [];
  const folder = createFolder({ authority });
  const address = await start(folder, lines);
  writeFileSync(join(folder, "tls.key"), stranger.issue({ names: ["localhost"] }).key);
  await until(() => lines.some((line) => line.includes("is unusable")), { what: "a warning" });
  const mine = createFolder({ authority });
  expect(await call(address, mine)).toBe("answered");

  fill(folder, { authority: stranger });
  await until(async () => (await call(address, mine)) === "service_unavailable");
  const caller = createCaller(address, createRuntime(mine));
  expect(await caller()).toBe("service_unavailable");
  fill(mine, { authority: stranger });
  await until(async () => (await caller()) === "answered");
  expect(lines.join("")).not.toContain("PRIVATE KEY");
});

test("a process does not start with a file that is missing or does not fit, and its error shows no key", async () => {
  const { key } = stranger.issue({ names: ["localhost"] });
  const bad: [string, string | undefined, RegExp][] = [
    ["tls.key", undefined, /^RPC_TLS_DIR: tls\.key in \S+ cannot be read \(ENOENT\)$/],
    ["tls.key", key, /^RPC_TLS_DIR: tls\.key in \S+ is not the private key of tls\.crt$/],
    ["tls.key", key.slice(0, 60), /^RPC_TLS_DIR: tls\.key in \S+ is not in PEM format/],
    ["tls.crt", "", /^RPC_TLS_DIR: tls\.crt in \S+ is not in PEM format/],
    ["ca.crt", key, /^RPC_TLS_DIR: ca\.crt in \S+ is not in PEM format/],
  ];
  for (const [name, text, message] of bad) {
    const folder = createFolder({ authority });
    rmSync(join(folder, name));
    if (text !== undefined) writeFileSync(join(folder, name), text);
    await expect(start(folder)).rejects.toThrow(message);
    expect(() => connect(CustomersService, "localhost:1", createRuntime(folder))).toThrow(message);
  }
});
