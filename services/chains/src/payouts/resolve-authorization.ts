// What became of an authorization that a transaction of the service did not spend. It ends only by what is final and by
// the word of every provider that answers: a payer who may sign again must not be able to pay twice.
import { type TxHash, toTxHash } from "@pay/values";
import { findSettledHeight } from "../catalog/domain/finality.ts";
import { intentsEndedTotal } from "../metrics.ts";
import { buildStateCall } from "../providers/authorization-call.ts";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import type { AuthorizationState } from "./domain/authorization.ts";
import type { Intent } from "./domain/intent.ts";
import {
  endAuthorization,
  findAuthorizations,
  type StoredAuthorization,
} from "./storage/authorizations.ts";
import { rescheduleIntents } from "./storage/intent-moves.ts";
import type { WalletRound } from "./wallet-round.ts";

/** Until it is looked at again. */
const AGAIN_MS = 5_000;
const TRUE = `0x${"1".padStart(64, "0")}`;

interface End {
  state: Exclude<AuthorizationState, "open">;
  txHash: TxHash | undefined;
}

/** Those whose transaction fails, or whose time is over. */
export async function resolveAuthorization(
  round: WalletRound,
  intent: Intent,
  { from, isReverted }: { from: "waiting" | "signed"; isReverted: boolean },
): Promise<void> {
  const { pool, clock, chain, log } = round;
  const [stored] = await findAuthorizations(pool, [intent]);
  const now = clock.now();
  const end = stored && (await findEnd(round, stored, isReverted));
  if (end === undefined) {
    const nextAt = new Date(now.getTime() + AGAIN_MS);
    await rescheduleIntents(pool, [{ intent, heldReason: undefined, nextAt }]);
    return;
  }
  const reason = end.state === "failed" ? "reverted" : end.state;
  if (!(await endAuthorization(pool, intent, { from, reason, ...end, now }))) return;
  const { subjectId } = intent;
  const { chainId } = chain;
  intentsEndedTotal.inc({ chain: chainId, outcome: reason });
  log.info({ chainId, subjectId, reason }, "an authorization is not sent");
}

async function findEnd(
  round: WalletRound,
  stored: StoredAuthorization,
  isReverted: boolean,
): Promise<End | undefined> {
  const told = await Promise.all(
    round.readers.map((reader) => tryRequest(readEnd(round, reader, stored))),
  );
  const [first, ...others] = told.filter((one) => one !== undefined);
  if (first === undefined) return undefined;
  const isAgreed = others.every((one) => one.kind === first.kind && one.txHash === first.txHash);
  if (!isAgreed || first.kind === "open") return undefined;
  if (first.kind !== "unspent") return { state: first.kind, txHash: first.txHash };
  return isReverted ? { state: "failed", txHash: undefined } : undefined;
}

interface Told {
  /** unspent: and it may still be spent. open: not known for good yet. */
  kind: "used" | "cancelled" | "expired" | "unspent" | "open";
  txHash?: TxHash;
}

async function readEnd(
  { chain, readHeights }: WalletRound,
  reader: Reader,
  { token, payer, nonce, valid_before, opened_block }: StoredAuthorization,
): Promise<Told> {
  const call = buildStateCall(payer, nonce);
  const [heights, latest] = await Promise.all([readHeights(reader), reader.block("latest")]);
  if (latest === null) return { kind: "open" };
  // The heights leave the head out where one block is enough.
  const final = findSettledHeight({ ...heights, head: latest.number }, chain.finality);
  const [atHead, atFinal, block] = await Promise.all([
    reader.view(token, call),
    reader.view(token, call, final),
    reader.block(final),
  ]);
  if (atFinal === TRUE) {
    const query = { token, payer, nonce, fromBlock: Number(opened_block), toBlock: final };
    const used = await reader.authorizationUse(query);
    return used === undefined ? { kind: "cancelled" } : { kind: "used", txHash: toTxHash(used) };
  }
  if (atHead === TRUE || block === null) return { kind: "open" };
  const isOver = block.timestamp * 1_000 >= valid_before.getTime();
  return { kind: isOver ? "expired" : "unspent" };
}
