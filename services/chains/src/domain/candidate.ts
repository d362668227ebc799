// A candidate is a hash somebody submitted for a payment or a refund. It waits until the chain's word is final,
// then becomes confirmed or rejected; abandoned means that nothing was ever found and nothing was said.
import { createHash } from "node:crypto";
import { toBase62 } from "@pay/money";
import type { Claim } from "./judge.ts";

export interface Submission {
  subjectId: string;
  projectId: string;
  mode: number;
  requestId: string;
  chainId: number;
  txHash: string;
  claim: Claim;
  giveUpAt: Date;
  /** The version of the subject that named the hash. */
  attempt: number;
}

/** Who sent the transaction, as which of his, and where the chain was when it was last seen unmined. */
export interface Sender {
  address: string;
  nonce: number;
  seenBlock: number;
}

export interface Candidate extends Submission {
  id: bigint;
  misses: number;
  sender: Sender | undefined;
  createdAt: Date;
}

// A block's time is its builder's word, and a shop's clock may be off too.
const CLOCK_SLACK_MS = 60_000;
const PAYMENT_GRACE_MS = 60 * 60_000;
const REFUND_PATIENCE_MS = 7 * 24 * 60 * 60_000;
/** Nobody could be asked: a payment mined in time must still be found when the providers are back. */
const SILENCE_GRACE_MS = 24 * 60 * 60_000;

export const paymentWindow = ({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }) => ({
  notBefore: new Date(createdAt.getTime() - CLOCK_SLACK_MS),
  notAfter: expiresAt,
  giveUpAt: new Date(expiresAt.getTime() + PAYMENT_GRACE_MS),
});

export const refundWindow = ({ createdAt }: { createdAt: Date }) => ({
  notBefore: new Date(createdAt.getTime() - CLOCK_SLACK_MS),
  notAfter: undefined,
  giveUpAt: new Date(createdAt.getTime() + REFUND_PATIENCE_MS),
});

export const isGivenUp = ({ giveUpAt }: Candidate, now: Date, anybodyAnswered: boolean): boolean =>
  now.getTime() > giveUpAt.getTime() + (anybodyAnswered ? 0 : SILENCE_GRACE_MS);

/** The same verdict has the same event, however often it is worked out. */
export const verdictEventId = ({ subjectId, txHash, attempt }: Submission): string => {
  const digest = createHash("sha256").update(`${subjectId} ${txHash} ${attempt}`).digest();
  return `evt_${toBase62(digest, 24)}`;
};
