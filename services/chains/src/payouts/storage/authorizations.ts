// Authorizations of payers. Each is stored with its intent, and moves with it.
import { transaction } from "@pay/database";
import type { Amount, Authorization, ChainId, PaymentReference, TxHash } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { AuthorizationState, SponsorPolicy } from "../domain/authorization.ts";
import type { SignedIntent } from "../domain/intent.ts";
import { type Subject, toSubjectRow, type Wallet } from "./intents.ts";

export type StoredAuthorization = sql.FindAuthorizationsRow;

export async function findAuthorizations(
  pool: Pool,
  subjects: readonly Subject[],
): Promise<StoredAuthorization[]> {
  return subjects.length === 0
    ? []
    : sql.findAuthorizations(pool, { intents: subjects.map(toSubjectRow) });
}

export async function findAuthorizationByNonce(
  pool: Pool,
  wanted: Parameters<typeof sql.findAuthorizationByNonce>[1],
): Promise<sql.FindAuthorizationByNonceRow | undefined> {
  return (await sql.findAuthorizationByNonce(pool, wanted))[0];
}

interface Payment {
  projectId: string;
  mode: number;
  paymentId: string;
}

export async function findLastAuthorization(
  pool: Pool,
  payment: Payment,
): Promise<StoredAuthorization | undefined> {
  const [row] = await sql.findLastAuthorization(pool, payment);
  if (row === undefined) return undefined;
  return (await findAuthorizations(pool, [{ ...payment, subjectId: row.subject_id }]))[0];
}

export interface NewAuthorization extends Subject, Payment {
  requestId: string;
  chainId: ChainId;
  authorization: Authorization;
  token: Wallet["address"];
  decimals: number;
  reference: PaymentReference;
  namesPayment: boolean;
  gasCost: Amount;
  openedBlock: number;
  callData: string;
}

/** Three that failed close the sponsor to their payer for an hour. */
const FAILED_MAX = 3;

/** The sponsor's row is locked, so that two at once do not both spend the rest of its gas. */
export async function acceptAuthorization(
  pool: Pool,
  sponsor: Wallet & { sponsor: SponsorPolicy },
  { now, ...accepted }: NewAuthorization & { now: Date },
): Promise<"stored" | "exhausted" | "taken"> {
  const { chainId, address, sponsor: policy } = sponsor;
  const { authorization } = accepted;
  const row = {
    ...toSubjectRow(accepted),
    request_id: accepted.requestId,
    payment_id: accepted.paymentId,
    chain_id: chainId,
    token: accepted.token,
    decimals: accepted.decimals,
    payer: authorization.from,
    recipient: authorization.to,
    value: authorization.value,
    nonce: authorization.nonce,
    valid_before: new Date(Number(authorization.validBefore) * 1_000),
    reference: accepted.reference,
    names_payment: accepted.namesPayment,
    sponsor: address,
    gas_cost: accepted.gasCost,
    opened_block: accepted.openedBlock,
    call_data: accepted.callData,
  };
  const found = await transaction(pool, async (tx) => {
    await sql.openSigner(tx, { chainId, address });
    const { gasPerDay, gasPerProjectDay } = policy;
    const limits = { gasPerDay, gasPerProjectDay, failedMax: FAILED_MAX };
    return sql.acceptAuthorization(tx, { authorizations: [row], now, ...limits });
  });
  if (found[0]?.is_stored) return "stored";
  return found[0]?.is_sponsored ? "taken" : "exhausted";
}

export interface MinedAuthorization {
  intent: SignedIntent;
  txHash: TxHash;
  block: number;
  isSpent: boolean;
  nextAt: Date;
}

export async function markAuthorizationsMined(
  pool: Pool,
  mined: readonly MinedAuthorization[],
  now: Date,
): Promise<void> {
  if (mined.length === 0) return;
  await sql.useAuthorizations(pool, {
    now,
    mined: mined.map(({ intent, txHash, block, isSpent, nextAt }) => ({
      ...toSubjectRow(intent),
      tx_hash: txHash,
      block,
      is_spent: isSpent,
      next_at: nextAt,
    })),
  });
}

/** False where it has moved. */
export async function endAuthorization(
  pool: Pool,
  subject: Subject,
  end: {
    from: "waiting" | "signed";
    reason: string;
    state: Exclude<AuthorizationState, "open">;
    txHash: TxHash | undefined;
    now: Date;
  },
): Promise<boolean> {
  const { projectId, mode, subjectId } = subject;
  const { txHash = null } = end;
  const ended = await sql.endAuthorization(pool, { projectId, mode, subjectId, ...end, txHash });
  return ended === 1;
}
