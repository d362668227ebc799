// A service that signs for a wallet of the development chain, and what it is given to send.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";
import { type TestChain, until } from "@pay/testing";
import { newId } from "@pay/values";
import { developmentKeystore } from "../src/index.ts";
import { type Options, PROJECT, startTestChains, type TestChains } from "./chains.ts";

/** The phrase of every development node. */
const PHRASE = "test test test test test test test test test test test junk";
const PASSPHRASE = "a passphrase of this test";
export const BUYER = "0x3333333333333333333333333333333333333333";

export interface KeyFiles {
  address: string;
  keystoreFile: string;
  passphraseFile: string;
  remove(): void;
}

/** An account that no other test of the chain sends from. */
export async function keyFiles(account = 3, passphrase = PASSPHRASE): Promise<KeyFiles> {
  const folder = mkdtempSync(join(tmpdir(), "pay-signer-"));
  const { address, keystore } = await developmentKeystore(PHRASE, {
    account,
    passphrase: PASSPHRASE,
  });
  const [keystoreFile, passphraseFile] = [join(folder, "key.json"), join(folder, "passphrase")];
  writeFileSync(keystoreFile, keystore);
  writeFileSync(passphraseFile, `${passphrase}\n`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { address: address.toLowerCase(), keystoreFile, passphraseFile, remove };
}

export function signerFor(
  chain: TestChain,
  { address, keystoreFile, passphraseFile }: Omit<KeyFiles, "remove">,
  change: object = {},
): string {
  const enough = { transactionMax: "1000", dayMax: "1000000" };
  const entry = {
    projectId: PROJECT,
    mode: "test",
    chainId: chain.chainId,
    address,
    keystoreFile,
    passphraseFile,
    limits: { native: enough, [chain.token.address]: enough },
    refundsTo: "anyone",
    settlementsTo: [BUYER],
    ...change,
  };
  return JSON.stringify([entry]);
}

export interface Due {
  id?: string;
  kind?: "refund" | "settlement";
  currency?: string;
  baseAmount?: bigint;
  decimals?: number;
  destinationAddress?: string;
  paymentId?: string;
  projectId?: string;
  mode?: Mode;
}

export interface PayingWallet {
  chains: TestChains;
  address: string;
  /** Publishes a refund that is to be sent, or an approved settlement; its id. */
  owe(due?: Due): Promise<string>;
  intent(id: string): Promise<Record<string, unknown>>;
  intentIn(id: string, state: string): Promise<Record<string, unknown>>;
  heldBecause(id: string, reason: string): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startPayingWallet(
  options: Options & { chain: TestChain; files: KeyFiles; signer?: object },
): Promise<PayingWallet> {
  const { chain, files, signer } = options;
  const chains = await startTestChains({
    ...options,
    environment: { CHAINS_SIGNERS: signerFor(chain, files, signer), ...options.environment },
  });
  return payingWallet(chains, files.address);
}

function payingWallet(chains: TestChains, address: string): PayingWallet {
  const { bus, chain, pool } = chains;
  async function intent(id: string) {
    const { rows } = await pool.query("select * from intents where subject_id = $1", [id]);
    return rows[0] as Record<string, unknown>;
  }

  return {
    chains,
    address,
    intent,
    owe: async (due = {}) => {
      const { kind = "refund", projectId = PROJECT, mode = Mode.TEST } = due;
      const id = due.id ?? newId(kind === "refund" ? "refund" : "stl");
      const now = timestampFromDate(new Date());
      const value = {
        id,
        chainId: BigInt(chain.chainId),
        currency: due.currency ?? "native",
        baseAmount: `${due.baseAmount ?? 1_000n}`,
        serviceSigned: true,
        decimals: due.decimals ?? 18,
        sourceAddress: address,
        destinationAddress: due.destinationAddress ?? BUYER,
      };
      const resource =
        kind === "refund"
          ? {
              case: "refund" as const,
              value: {
                ...value,
                paymentId: due.paymentId ?? newId("pay"),
                version: 1,
                createdAt: now,
              },
            }
          : { case: "settlement" as const, value: { ...value, version: 2, approvedAt: now } };
      const type = kind === "refund" ? "refund.created" : "settlement.approved";
      const requestId = "request-3";
      await bus.publish([
        outboxRow({ type, projectId, mode, resourceId: id, requestId, resource }),
      ]);
      return id;
    },
    intentIn: (id, state) =>
      until(
        async () => {
          const row = await intent(id);
          return row?.state === state ? row : undefined;
        },
        { what: `${id} in the state ${state}` },
      ),
    heldBecause: (id, reason) =>
      until(async () => (await intent(id))?.held_reason === reason, {
        what: `${id} held because of ${reason}`,
      }),
    stop: () => chains.stop(),
  };
}
