// The paying wallet of the demo project: account 1 of the local chain, which the tour of the README is paid to. The
// service signs for it in test mode, so that refunds, and settlements to account 2, send themselves, and it pays the
// gas of payers who sign. Its key comes from a phrase that every development chain has, so it guards nothing; the
// files have the form that an installation uses.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callNode } from "@pay/embedded";
import { checksumAddress, newId } from "@pay/values";
import type { DataFolder } from "./data-folder.ts";
import type { DemoCredentials } from "./demo-project.ts";
import type { Environment, Parts } from "./parts.ts";

const PHRASE = "test test test test test test test test test test test junk";
const ACCOUNT = 1;
const TREASURY_ACCOUNT = 2;
const NAMES = { key: "paying-wallet.json", passphrase: "paying-wallet.passphrase" };
const LIMIT = { transactionMax: "1000", dayMax: "1000", sweepMin: "0.000001" };

/** Made at the first start; its address. */
async function keyIn(folder: DataFolder): Promise<string> {
  const known = folder.read<{ address: string }>(NAMES.key)?.address;
  if (known !== undefined) return checksumAddress(`0x${known.replace(/^0x/, "")}`);
  const { developmentKeystore } = await import("@pay/chains");
  const passphrase = randomBytes(32).toString("base64url");
  const { address, keystore } = await developmentKeystore(PHRASE, { account: ACCOUNT, passphrase });
  // The key last: where it is, its passphrase is too.
  for (const [name, text] of [
    [NAMES.passphrase, passphrase],
    [NAMES.key, keystore],
  ] as const) {
    writeFileSync(join(folder.path, name), text, { mode: 0o600 });
  }
  return address;
}

/** Variables of the services; none where the user has another chain or signers of their own. */
export async function payingWallet(
  folder: DataFolder,
  { chainId, tokenAddress, rpcUrl }: Parts,
  given: Environment,
): Promise<{ projectId: string; environment: Environment }> {
  // The demo project is created under this id, once the services run.
  const projectId = folder.read<DemoCredentials>("credentials.json")?.projectId ?? newId("proj");
  const isOther = given.CHAINS_LOCAL || given.CHAINS_SIGNERS || given.REFUNDS_SIGNED_WALLETS;
  if (isOther) return { projectId, environment: {} };
  const address = await keyIn(folder);
  const accounts = (await callNode(rpcUrl, "eth_accounts")) as string[];
  const wallet = { projectId, mode: "test", chainId, address };
  const signer = {
    ...wallet,
    keystoreFile: join(folder.path, NAMES.key),
    passphraseFile: join(folder.path, NAMES.passphrase),
    limits: { native: LIMIT, [tokenAddress]: LIMIT },
    sweepAfterMinutes: 0,
    refundsTo: "anyone",
    sponsor: { gasPerDay: "100", gasPerProjectDay: "10" },
    settlementsTo: accounts.slice(TREASURY_ACCOUNT, TREASURY_ACCOUNT + 1),
  };
  return {
    projectId,
    environment: {
      CHAINS_SIGNERS: JSON.stringify([signer]),
      REFUNDS_SIGNED_WALLETS: JSON.stringify([wallet]),
    },
  };
}
