// A server that signs and asks for a certificate of who calls it, over a real connection.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { createAuthority } from "@pay/testing";
import { toChainId } from "@pay/values";
import { Transaction, Wallet } from "ethers";
import { openSigners } from "../src/payouts/open-signers.ts";
import { signerEntry } from "../src/payouts/signer-config.ts";
import { createSigningServer } from "./signing-server/server.ts";

const CHAIN_ID = toChainId(1);
const TIMEOUT_MS = 60_000;
const DUE = {
  chainId: CHAIN_ID,
  nonce: 7,
  to: `0x${"ab".repeat(20)}`,
  value: "0x5",
  data: "0x",
  gasLimit: 21_000n,
  fees: { maxFee: 9n, priorityFee: 1n },
};

const wallet = new Wallet(`0x${"11".repeat(32)}`);
const [ours, strangers] = [createAuthority(), createAuthority()];
let folder: string;
let server: Server;
let asked = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pay-signer-tls-"));
  const own = ours.issue({ names: ["127.0.0.1"] });
  server = createSigningServer(wallet, { tls: { ...own, ca: ours.ca } });
  server.on("request", () => {
    asked++;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function writeFixture(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** As an operator configures it. */
async function signWith(files: Record<string, string>): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const entry = signerEntry.parse({
    projectId: "proj_AAAAAAAAAAAAAAAAAAAAAAAA",
    mode: "live",
    chainId: CHAIN_ID,
    address: wallet.address,
    limits: {},
    url: `https://127.0.0.1:${port}`,
    ...files,
  });
  const chainIds = new Set([CHAIN_ID]);
  const log = createLog("chains", "silent");
  const [signer] = await openSigners([entry], { chainIds, timeoutMs: TIMEOUT_MS, log });
  try {
    return (await signer?.sign(DUE))?.raw ?? "";
  } finally {
    signer?.close();
  }
}

test("a server that wants a certificate signs for the one that has it", async () => {
  const { cert, key } = ours.issue({ names: ["chains"] });
  const files = {
    caFile: writeFixture("ca.pem", ours.ca),
    certFile: writeFixture("cert.pem", cert),
    keyFile: writeFixture("key.pem", key),
  };
  const { from, nonce } = Transaction.from(await signWith(files));
  expect([from, nonce]).toEqual([wallet.address, 7]);
});

test("it is not asked without a certificate, with a stranger's, or where it cannot show its own", async () => {
  const { cert, key } = strangers.issue({ names: ["chains"] });
  const known = ours.issue({ names: ["chains"] });
  const caFile = writeFixture("ca.pem", ours.ca);
  const before = asked;
  for (const files of [
    { caFile },
    {
      caFile,
      certFile: writeFixture("other.pem", cert),
      keyFile: writeFixture("other-key.pem", key),
    },
    {
      certFile: writeFixture("own.pem", known.cert),
      keyFile: writeFixture("own-key.pem", known.key),
      caFile: writeFixture("other-ca.pem", strangers.ca),
    },
  ]) {
    await expect(signWith(files)).rejects.toMatchObject({ fault: "network" });
  }
  expect(asked).toBe(before);
});
