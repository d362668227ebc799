// Money out of an installation: wallets that the service and a server sign for, the books as its operator prints them,
// and the statement that its merchant reads.
import { randomBytes } from "node:crypto";
import { developmentKeystore } from "@pay/chains";
import pg from "pg";
import type { PrintBooks } from "../harness/books.ts";
import type { Merchant } from "../harness/merchant.ts";
import type { Outside } from "../harness/outside.ts";
import { openWallet } from "../harness/wallet.ts";
import { type Kube, makeSecret } from "./kube.ts";
import { RELEASE, type Values } from "./release.ts";
import { startSigningServer } from "./signing-server.ts";

/** The phrase of every development node. */
const PHRASE = "test test test test test test test test test test test junk";
const SECRET = "pay-signers";
const LIMIT = { transactionMax: "10", dayMax: "100" };
/** The present day has no statement. */
const DAY = "2026-01-31";

/** Accounts whose wallets get a signer; settlements of each may go to the account after it. */
export interface Signed {
  /** Its key is in a Secret of chains. */
  byService: number;
  /** Its key is in another pod. */
  byServer: number;
}

/** Makes the Secret of the signers, and the server that signs; the values name both. */
export async function withSigners(
  kube: Kube,
  { api }: Merchant,
  { values, signed }: { values: Values; signed: Signed },
): Promise<Values> {
  const { projectId, chainId } = api.credentials;
  const own = await getKey(signed.byService);
  const server = await startSigningServer(kube, { values, key: await getKey(signed.byServer) });
  await kube.apply(
    makeSecret(SECRET, {
      "shop.json": own.keystore,
      "shop.passphrase": own.passphrase,
      "server-ca.crt": server.ca,
      "client.crt": server.client.cert,
      "client.key": server.client.key,
    }),
  );
  async function wallet(account: number, { address }: Key, files: object) {
    const treasury = await openWallet(api.credentials, account + 1);
    return {
      projectId,
      mode: "live",
      chainId,
      address,
      limits: { native: LIMIT },
      ...files,
      settlementsTo: [treasury.address],
    };
  }

  const wallets = [
    await wallet(signed.byService, own, {
      keystoreFile: "/run/signers/shop.json",
      passphraseFile: "/run/signers/shop.passphrase",
    }),
    await wallet(signed.byServer, server, {
      url: server.url,
      caFile: "/run/signers/server-ca.crt",
      certFile: "/run/signers/client.crt",
      keyFile: "/run/signers/client.key",
    }),
  ];
  const signers = { existingSecret: SECRET, wallets };
  return { ...values, chains: { ...values.chains, signers } };
}

interface Key {
  address: string;
}

async function getKey(account: number) {
  const passphrase = randomBytes(32).toString("base64url");
  return { passphrase, ...(await developmentKeystore(PHRASE, { account, passphrase })) };
}

export function booksInPod(kube: Kube): PrintBooks {
  return (args) =>
    kube.kubectl(["exec", `deploy/${RELEASE}-chains`, "--", "node", "books.js", ...args]);
}

/** Sums in base units of what came into that wallet and went out of it, by the statement of the day. */
export async function statementSums(
  outside: Outside,
  { api }: Merchant,
  wallet: string,
): Promise<Record<string, bigint>> {
  await moveRecords(outside);
  const { baseUrl, secretKey } = api.credentials;
  const headers = { "X-Secret-Key": secretKey, "X-Forwarded-Proto": "https" };
  const response = await fetch(`${baseUrl}/v1/statements/${DAY}`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the statement was refused: ${text}`);
  const sums: Record<string, bigint> = {};
  for (const line of text.trimEnd().split("\n")) {
    const { type, fromAddress, toAddress, baseAmount } = JSON.parse(line);
    const own = type === "payment" ? toAddress : fromAddress;
    if (own.toLowerCase() === wallet) sums[type] = (sums[type] ?? 0n) + BigInt(baseAmount);
  }
  return sums;
}

/** To the day in the past. */
async function moveRecords(outside: Outside): Promise<void> {
  const client = new pg.Client(outside.adminUrl("chains"));
  await client.connect();
  try {
    const time = "$1::timestamptz + transfer_id * interval '1 second'";
    await client.query(`update allocations set created_at = ${time}`, [`${DAY}T12:00:00Z`]);
  } finally {
    await client.end();
  }
}
