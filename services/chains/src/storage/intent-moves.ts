// The moves of intents. Each is guarded by the state that it leaves, so a process that lost its lease changes nothing.
import { arrayParameters, transaction } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxValues } from "@pay/events";
import type { Pool } from "pg";
import { outgoingWindow } from "../domain/candidate.ts";
import type { Fees, HeldReason, Intent, SignedIntent, UnsentReason } from "../domain/intent.ts";
import type { Signature } from "../signing/signer.ts";
import { SUBJECT_PARAMETERS, type Subject, subjectArrays, type Wallet } from "./intents.ts";

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

const GIVEN = `unnest(${SUBJECT_PARAMETERS}) as g (project_id, mode, subject_id)`;
const OF_GIVEN = `i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id`;

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
      from given g where ${OF_GIVEN} and i.state = 'waiting'
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
    signings.map(({ signature }) => bytesOf(signature.raw)),
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
        ...{ ...SIGN, values: [...subjects, chainId, now, block, nextAt, ...columns] },
      });
      if (signed.rowCount !== signings.length) throw new Moved();
      return true;
    });
  } catch (error) {
    if (error instanceof Moved) return false;
    throw error;
  }
}

function bytesOf(hex: string): Buffer {
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
    ...[intent.projectId, intent.mode, intent.subjectId],
    ...[ordinal, signature.txHash, bytesOf(signature.raw)],
    ...[fees.maxFee.toString(), fees.priorityFee.toString(), now],
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
  { chainId, txHashes, now }: { chainId: number; txHashes: readonly string[]; now: Date },
): Promise<void> {
  if (txHashes.length > 0) await pool.query({ ...SENT, values: [chainId, txHashes, now] });
}

const MINED = {
  name: "mark-mined",
  text: `
    with mined as (
      update intents i set mined_tx_hash = m.tx_hash, mined_block = m.block, held_reason = null, next_at = m.next_at
      from unnest(${SUBJECT_PARAMETERS}, $5::text[], $6::bigint[], $7::timestamptz[], $8::timestamptz[])
        as m (project_id, mode, subject_id, tx_hash, block, not_before, next_at)
      where i.project_id = m.project_id and i.mode = m.mode and i.subject_id = m.subject_id and i.state = 'signed'
      returning i.*, m.not_before
    )
    insert into candidates (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, payer,
      merchant_submitted, base_amount, not_before, give_up_at, attempt, next_at, created_at, found)
    select subject_id, project_id, mode, request_id, chain_id, mined_tx_hash, destination, currency, source,
      true, base_amount, not_before, $4::timestamptz + interval '100 years', version, $4, $4, true
    from mined
    on conflict (project_id, mode, subject_id, tx_hash) do update set next_at = excluded.next_at where candidates.state = 'waiting'`,
};

export interface Mined {
  intent: SignedIntent;
  txHash: string;
  block: number;
  /** Of the next look. */
  nextAt: Date;
}

/**
 * A transaction came into a block: from now on it is verified like one that a merchant submits, until it is final. It is never
 * given up there, because only the sender knows whether it can still be mined.
 */
export async function markMined(pool: Pool, mined: readonly Mined[], now: Date): Promise<void> {
  if (mined.length === 0) return;
  const values = [
    ...[...subjectArrays(mined.map(({ intent }) => intent)), now],
    ...[mined.map(({ txHash }) => txHash), mined.map(({ block }) => block)],
    mined.map(({ intent }) => outgoingWindow({ owedSince: intent.owedSince, now }).notBefore),
    mined.map(({ nextAt }) => nextAt),
  ];
  await pool.query({ ...MINED, values });
}

const UNMINED = {
  name: "mark-unmined",
  text: `
    update intents i set mined_tx_hash = null, mined_block = null
    from ${GIVEN} where ${OF_GIVEN} and i.state = 'signed'`,
};

/** Its block left the chain. */
export async function markUnmined(pool: Pool, intents: readonly Subject[]): Promise<void> {
  if (intents.length > 0) await pool.query({ ...UNMINED, values: subjectArrays(intents) });
}

const COMPLETE = {
  name: "complete-intents",
  text: `
    update intents i set state = 'completed', held_reason = null, ended_at = $4
    from ${GIVEN} where ${OF_GIVEN} and i.state = 'signed' and i.mined_tx_hash is not null`,
};

export async function completeIntents(
  pool: Pool,
  intents: readonly Subject[],
  now: Date,
): Promise<void> {
  if (intents.length > 0) {
    await pool.query({ ...COMPLETE, values: [...subjectArrays(intents), now] });
  }
}

export interface Later {
  intent: Subject;
  heldReason: HeldReason | undefined;
  nextAt: Date;
}

const LATER = {
  name: "reschedule-intents",
  text: `
    update intents i set next_at = l.next_at, held_reason = l.held_reason
    from unnest(${SUBJECT_PARAMETERS}, $4::text[], $5::timestamptz[])
      as l (project_id, mode, subject_id, held_reason, next_at)
    where i.project_id = l.project_id and i.mode = l.mode and i.subject_id = l.subject_id
      and i.state in ('waiting', 'signed')`,
};

export async function rescheduleIntents(pool: Pool, later: readonly Later[]): Promise<void> {
  if (later.length === 0) return;
  const values = [
    ...subjectArrays(later.map(({ intent }) => intent)),
    later.map(({ heldReason }) => heldReason ?? null),
    later.map(({ nextAt }) => nextAt),
  ];
  await pool.query({ ...LATER, values });
}

const UNSENT = {
  name: "end-unsent-intent",
  text: `
    with ended as (
      update intents set state = 'failed', failure_reason = $5, held_reason = null, ended_at = $6
      where project_id = $1 and mode = $2::smallint and subject_id = $3 and state = $4
      returning subject_id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select ${OUTBOX_TYPES.map((type, at) => `$${at + 7}::${type}`).join(", ")} from ended`,
};

/** Ends an intent that no transaction pays; its refund or settlement fails. False where it has moved meanwhile. */
export async function endUnsent(
  pool: Pool,
  options: {
    intent: Subject;
    from: "waiting" | "signed";
    reason: UnsentReason;
    event: OutboxRow;
    now: Date;
  },
): Promise<boolean> {
  const { intent, from, reason, event, now } = options;
  const subject = [intent.projectId, intent.mode, intent.subjectId];
  const values = [...subject, from, reason, now, ...outboxValues(event)];
  const { rowCount } = await pool.query({ ...UNSENT, values });
  return rowCount === 1;
}
