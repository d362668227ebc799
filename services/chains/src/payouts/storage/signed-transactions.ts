// Signed transactions are stored before anything is sent. Each statement is guarded by the state that it finds, so a
// process that lost its lease changes nothing.
import { transaction } from "@pay/database";
import type { ChainId, TxHash } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Fees, Intent, SignedIntent } from "../domain/intent.ts";
import type { Signature } from "../signer.ts";
import { toSubjectRow, type Wallet } from "./intents.ts";

export interface Signing<I extends Intent = Intent> {
  intent: I;
  nonce: number;
  gasLimit: bigint;
  fees: Fees;
  signature: Signature;
}

/** An intent moved while its transaction was signed; its nonce must not be left without a transaction. */
class Moved extends Error {}

/**
 * Nonces, intents and signed bytes are stored together, before anything is sent. False where another process has signed
 * meanwhile or the wallet is frozen: then these signatures are dropped, and no provider has received them.
 */
export async function writeSigned(
  pool: Pool,
  options: {
    wallet: Wallet;
    /** The next nonce as it was read before the sums that the signatures rest on. */
    before: number | undefined;
    signings: readonly Signing[];
    block: number;
    now: Date;
    nextAt: Date;
  },
): Promise<boolean> {
  const { wallet, before = null, signings, block, now, nextAt } = options;
  const last = signings.at(-1);
  if (last === undefined) return true;
  const { chainId } = wallet;
  try {
    return await transaction(pool, async (tx) => {
      const taken = await sql.takeNonces(tx, { ...wallet, before, next: last.nonce + 1 });
      if (taken !== 1) return false;
      const rows = signings.map(toSigningRow);
      const signed = await sql.signIntents(tx, { signings: rows, chainId, now, block, nextAt });
      if (signed !== signings.length) throw new Moved();
      return true;
    });
  } catch (error) {
    if (error instanceof Moved) return false;
    throw error;
  }
}

function toSigningRow({ intent, nonce, gasLimit, fees, signature }: Signing) {
  return {
    ...toSubjectRow(intent),
    nonce,
    gas_limit: gasLimit,
    tx_hash: signature.txHash,
    raw: signature.raw,
    max_fee: fees.maxFee,
    priority_fee: fees.priorityFee,
  };
}

/** Another transaction of the same nonce; false where another process has added one. */
export async function addTransaction(
  pool: Pool,
  options: { intent: SignedIntent; fees: Fees; signature: Signature; now: Date },
): Promise<boolean> {
  const { intent, fees, signature, now } = options;
  const { projectId, mode, subjectId } = intent;
  const added = await sql.addSignedTransaction(pool, {
    projectId,
    mode,
    subjectId,
    ordinal: intent.transactions.length + 1,
    txHash: signature.txHash,
    raw: signature.raw,
    maxFee: fees.maxFee,
    priorityFee: fees.priorityFee,
    now,
  });
  return added === 1;
}

export async function markSent(
  pool: Pool,
  options: { chainId: ChainId; txHashes: readonly TxHash[]; now: Date },
): Promise<void> {
  if (options.txHashes.length > 0) await sql.markSent(pool, options);
}
