// Writes what was decided about wallets, with the events, in one transaction. A wallet whose lease another process has
// taken is left out: that one decides on newer facts.

import { transaction } from "@pay/database";
import { appendOutbox, eventRow, outboxRow } from "@pay/events";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { WalletDecision } from "../decide-wallet.ts";
import type { Decision } from "../domain/decision.ts";
import { toMoneyEvent, toOutgoingEvent } from "../events.ts";
import { toUnmatchedEvent } from "../unmatched-event.ts";
import { toStoredMoney } from "./money.ts";
import { type LeasedWallet, toWallet, type Wallet, walletName, walletRow } from "./queue.ts";

export interface DecidedWallet extends WalletDecision {
  wallet: LeasedWallet;
}

interface WrittenWallet extends DecidedWallet {
  /** A fact has changed since it was leased: the next turn sees all its transfers again. */
  isStale: boolean;
}

/** The search for a transaction that was seen in a block ends after a day. */
const SEARCH_MS = 24 * 3_600_000;

interface Terms {
  lease: string;
  now: Date;
  /** Undefined for a token that is listed no longer. */
  getDecimals(wallet: Wallet): number | undefined;
}

/** Returns the wallets whose decisions were written. */
export function writeDecisions(
  pool: Pool,
  decided: readonly DecidedWallet[],
  { lease, now, getDecimals }: Terms,
): Promise<DecidedWallet[]> {
  return transaction(pool, async (tx) => {
    const wallets = decided.map(({ wallet }) => walletRow(wallet));
    const rows = await sql.lockWallets(tx, { wallets, lease });
    const leased = new Map(rows.map((row) => [walletName(toWallet(row)), row.marks]));
    const written = decided.flatMap((one): WrittenWallet[] => {
      const marks = leased.get(walletName(one.wallet));
      return marks === undefined ? [] : [{ ...one, isStale: marks !== one.wallet.marks }];
    });
    if (written.length === 0) return [];
    await writeTransfers(tx, written, now);
    await writePayments(tx, written, now);
    await writeSubmissions(tx, written, now);
    await appendOutbox(
      tx,
      written.flatMap(({ wallet, attributed }) => {
        const decimals = getDecimals(wallet);
        return attributed.flatMap(({ unmatched: transfer, decision }) => {
          if (transfer === undefined || decimals === undefined) return [];
          if (decision === undefined || !("reason" in decision)) return [];
          const about = { transfer, decision };
          return outboxRow(toUnmatchedEvent(wallet, about, { decimals, at: now }));
        });
      }),
    );
    await sql.finishWallets(tx, {
      wallets: written.map(({ wallet, nextAt }) => ({
        ...walletRow(wallet),
        marks: wallet.marks,
        next_at: nextAt ?? null,
      })),
      now,
    });
    return written;
  });
}

type Transaction = Parameters<typeof sql.writeMoney>[0];

function toCandidates(decision: Decision | undefined): string[] | null {
  const listed = decision && ("reason" in decision ? decision.candidates : decision.group);
  return listed === undefined ? null : [...listed];
}

async function writeTransfers(tx: Transaction, decided: readonly WrittenWallet[], now: Date) {
  const attributions = decided.flatMap(({ wallet, attributed, isStale }) =>
    attributed.map(({ transferId, isOpen, decision }) => ({
      transfer_id: transferId,
      project_id: wallet.projectId,
      mode: wallet.mode,
      is_open: isOpen || isStale,
      payment_id: decision && "paymentId" in decision ? decision.paymentId : null,
      rule: decision && "rule" in decision ? decision.rule : null,
      reason: decision && "reason" in decision ? decision.reason : null,
      candidates: toCandidates(decision),
    })),
  );
  if (attributions.length > 0) await sql.writeAttributions(tx, { attributions, now });
  const revoked = decided.flatMap(({ wallet, revoked: ids }) =>
    ids.map((id) => ({ transfer_id: id, project_id: wallet.projectId, mode: wallet.mode })),
  );
  const proven = decided.flatMap(({ wallet, proven: paid }) =>
    paid.map(({ transferId, subjectId }) => ({
      transfer_id: transferId,
      project_id: wallet.projectId,
      mode: wallet.mode,
      subject_id: subjectId,
    })),
  );
  if (revoked.length + proven.length > 0) await sql.writeAllocations(tx, { revoked, proven });
  const transactions = decided.flatMap(({ wallet, toVerify }) =>
    toVerify.map(({ txHash, target }) => ({
      chain_id: wallet.chainId,
      tx_hash: txHash,
      wallet: target,
      give_up_at: new Date(now.getTime() + SEARCH_MS),
    })),
  );
  if (transactions.length > 0) await sql.requestVerification(tx, { transactions, now });
}

async function writePayments(tx: Transaction, decided: readonly DecidedWallet[], now: Date) {
  const watches = decided.flatMap((one) =>
    one.watches.map(({ watch, paidBlock, hasParts, isSettled }) => ({
      project_id: watch.project_id,
      payment_id: watch.payment_id,
      paid_block: paidBlock ?? null,
      has_parts: hasParts,
      is_settled: isSettled,
    })),
  );
  if (watches.length > 0) await sql.writeWatchStates(tx, { watches });
  const sums = decided.flatMap(({ money }) =>
    money.map((changed) => ({
      project_id: changed.watch.project_id,
      payment_id: changed.watch.payment_id,
      turn: changed.turn,
      money: toStoredMoney(changed.money),
      ...eventRow(outboxRow(toMoneyEvent(changed, now))),
    })),
  );
  if (sums.length > 0) await sql.writeMoney(tx, { sums });
  const told = decided.flatMap(({ toldScreenings }) => toldScreenings);
  if (told.length > 0) await sql.markScreeningsTold(tx, { screenings: told });
  const screenings = decided.flatMap(({ toScreen }) =>
    toScreen.map(({ watch, sender }) => ({ ...watch, sender })),
  );
  if (screenings.length > 0) await sql.requestScreenings(tx, { screenings, now });
}

const NO_EVENT = {
  event_id: null,
  event_type: null,
  topic: null,
  event_key: null,
  request_id: null,
  payload: null,
};

async function writeSubmissions(tx: Transaction, decided: readonly DecidedWallet[], now: Date) {
  const judged = decided.flatMap(({ submissions, outgoing }) => [
    ...submissions.map((one) => ({ ...one, event: NO_EVENT })),
    ...outgoing.map((one) => ({ ...one, event: eventRow(outboxRow(toOutgoingEvent(one, now))) })),
  ]);
  if (judged.length === 0) return;
  await sql.writeOutcomes(tx, {
    outcomes: judged.map(({ submission, outcome, epoch, event }) => ({
      project_id: submission.project_id,
      mode: submission.mode,
      subject_id: submission.subject_id,
      tx_hash: submission.tx_hash,
      attempt: submission.attempt,
      outcome: outcome ?? null,
      epoch,
      ...event,
    })),
    now,
  });
}
