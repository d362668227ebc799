// Money out of an installation: a wallet that the service signs for, the books as its operator prints them, and the statement that
// its merchant reads.
import { randomBytes } from "node:crypto";
import { developmentKeystore } from "@pay/chains";
import pg from "pg";
import type { PrintBooks } from "../harness/books.ts";
import type { Merchant } from "../harness/merchant.ts";
import type { Outside } from "../harness/outside.ts";
import { openWallet } from "../harness/wallet.ts";
import { type Kube, secretOf } from "./kube.ts";
import { RELEASE, type Values } from "./release.ts";

/** The phrase of every development node. */
const PHRASE = "test test test test test test test test test test test junk";
const SECRET = "pay-signers";
const LIMIT = { transactionMax: "10", dayMax: "100" };
/** The present day has no statement. */
const DAY = "2026-01-31";

/** Puts the key of that account into a Secret; the values name it. Settlements may go to the next account. */
export async function withSigner(
  kube: Kube,
  { api }: Merchant,
  { values, account }: { values: Values; account: number },
): Promise<Values> {
  const passphrase = randomBytes(32).toString("base64url");
  const { address, keystore } = await developmentKeystore(PHRASE, { account, passphrase });
  await kube.apply(secretOf(SECRET, { "shop.json": keystore, "shop.passphrase": passphrase }));
  const { projectId, chainId } = api.credentials;
  const wallet = {
    ...{ projectId, mode: "live", chainId, address, limits: { native: LIMIT } },
    keystoreFile: "/run/signers/shop.json",
    passphraseFile: "/run/signers/shop.passphrase",
    settlementsTo: [(await openWallet(api.credentials, account + 1)).address],
  };
  const signers = { existingSecret: SECRET, wallets: [wallet] };
  return { ...values, chains: { ...values.chains, signers } };
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
