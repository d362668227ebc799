// What was signed for intents, stored before anything is sent. Each statement is guarded by the state that it finds, so a
// process that lost its lease changes nothing.
import { arrayParameters, transaction } from "@pay/database";
import type { ChainId, TxHash } from "@pay/values";
import type { Pool } from "pg";
import type { Fees, Intent, SignedIntent } from "../domain/intent.ts";
import type { Signature } from "../signer.ts";
import { SUBJECT_PARAMETERS, subjectArrays, type Wallet } from "./intents.ts";

export interface Signing<I extends Intent = Intent> {
  intent: I;
  nonce: number;
  gasLimit: bigint;
  fees: Fees;
  signature: Signature;
}

const TAKE_NONCES = {
  name: "take-nonces",
  text: `
    update signers set next_nonce = $4
    where chain_id = $1 and address = $2 and next_nonce is not distinct from $3 and frozen_at is null`,
};

const SIGN_TYPES = ["bigint", "bigint", "text", "bytea", "numeric", "numeric"];

const SIGN = {
  name: "sign-intents",
  text: `
    with given as (
      select * from unnest(${SUBJECT_PARAMETERS}, ${arrayParameters(SIGN_TYPES, 8)})
        as g (project_id, mode, subject_id, nonce, gas_limit, tx_hash, raw, max_fee, priority_fee)
    ), signed as (
      update intents i set state = 'signed', nonce = g.nonce, gas_limit = g.gas_limit, signed_at = $5,
        signed_block = $6, held_reason = null, next_at = $7
      from given g where i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id
        and i.state = 'waiting'
      returning i.project_id, i.mode, i.subject_id
    )
    insert into signed_transactions (project_id, mode, subject_id, ordinal, chain_id, tx_hash, raw, max_fee,
      priority_fee, signed_at)
    select project_id, mode, subject_id, 1, $4::bigint, g.tx_hash, g.raw, g.max_fee, g.priority_fee, $5
    from given g join signed using (project_id, mode, subject_id)`,
};

/** An intent moved while its transaction was signed; its nonce must not be left without a transaction. */
class Moved extends Error {}

/**
 * Nonces, intents and signed bytes are stored together, before anything is sent. False where another process has signed
 * meanwhile or the wallet is frozen: then these signatures are forgotten, and no one has seen them.
 */
export async function writeSigned(
  pool: Pool,
  options: {
    wallet: Wallet;
    /** As it was read before the sums that the signatures rest on. */
    before: number | undefined;
    signings: readonly Signing[];
    block: number;
    now: Date;
    nextAt: Date;
  },
): Promise<boolean> {
  const { wallet, before, signings, block, now, nextAt } = options;
  const last = signings.at(-1);
  if (last === undefined) return true;
  const columns = [
    signings.map(({ nonce }) => nonce),
    signings.map(({ gasLimit }) => gasLimit.toString()),
    signings.map(({ signature }) => signature.txHash),
    signings.map(({ signature }) => toBytes(signature.raw)),
    signings.map(({ fees }) => fees.maxFee.toString()),
    signings.map(({ fees }) => fees.priorityFee.toString()),
  ];
  const { chainId, address } = wallet;
  try {
    return await transaction(pool, async (tx) => {
      const values = [chainId, address, before ?? null, last.nonce + 1];
      const taken = await tx.query({ ...TAKE_NONCES, values });
      if (taken.rowCount !== 1) return false;
      const subjects = subjectArrays(signings.map(({ intent }) => intent));
      const signed = await tx.query({
        ...SIGN,
        values: [...subjects, chainId, now, block, nextAt, ...columns],
      });
      if (signed.rowCount !== signings.length) throw new Moved();
      return true;
    });
  } catch (error) {
    if (error instanceof Moved) return false;
    throw error;
  }
}

function toBytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

const REPLACE = {
  name: "add-signed-transaction",
  text: `
    insert into signed_transactions (project_id, mode, subject_id, ordinal, chain_id, tx_hash, raw, max_fee,
      priority_fee, signed_at)
    select project_id, mode, subject_id, $4::smallint, chain_id, $5::text, $6::bytea, $7::numeric, $8::numeric,
      $9::timestamptz
    from intents
    where project_id = $1 and mode = $2::smallint and subject_id = $3 and state = 'signed' and mined_tx_hash is null
    on conflict do nothing`,
};

/** Another transaction of the same nonce; false where another process has added one meanwhile. */
export async function addTransaction(
  pool: Pool,
  { intent, fees, signature, now }: SignedChange & { fees: Fees; signature: Signature; now: Date },
): Promise<boolean> {
  const ordinal = intent.transactions.length + 1;
  const values = [
    intent.projectId,
    intent.mode,
    intent.subjectId,
    ordinal,
    signature.txHash,
    toBytes(signature.raw),
    fees.maxFee.toString(),
    fees.priorityFee.toString(),
    now,
  ];
  const { rowCount } = await pool.query({ ...REPLACE, values });
  return rowCount === 1;
}

interface SignedChange {
  intent: SignedIntent;
}

const SENT = {
  name: "mark-sent",
  text: "update signed_transactions set sent_at = $3 where chain_id = $1 and tx_hash = any($2)",
};

export async function markSent(
  pool: Pool,
  { chainId, txHashes, now }: { chainId: ChainId; txHashes: readonly TxHash[]; now: Date },
): Promise<void> {
  if (txHashes.length > 0) await pool.query({ ...SENT, values: [chainId, txHashes, now] });
}
