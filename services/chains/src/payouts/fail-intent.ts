// Ends that need a person or the merchant: a frozen wallet, and an intent that is not paid.
import { type NewEvent, outboxRow } from "@pay/events";
import { derivedId } from "@pay/values";
import { buildObservation } from "../attribution/events.ts";
import { intentsEndedTotal } from "../metrics.ts";
import type { Intent, UnsentReason } from "./domain/intent.ts";
import { endAuthorization } from "./storage/authorizations.ts";
import { failIntent, failSweep } from "./storage/intent-moves.ts";
import { freezeSigner } from "./storage/signers.ts";
import type { Sending, WalletRound } from "./wallet-round.ts";

export async function freezeWallet(
  { prisma, clock, log, signer, chain }: WalletRound,
  reason: string,
): Promise<void> {
  if (!(await freezeSigner(prisma, signer, { now: clock.now(), reason }))) return;
  log.error({ chainId: chain.chainId, address: signer.address }, `a signer is frozen: ${reason}`);
}

/** Its refund or settlement fails, and its amount is free again. What a sweep leaves is swept by a later one. */
export async function endIntent(
  { pool, clock, log, onWritten }: Pick<Sending, "pool" | "clock" | "log" | "onWritten">,
  intent: Intent,
  { from, reason }: { from: "waiting" | "signed"; reason: UnsentReason },
): Promise<void> {
  const now = clock.now();
  const { subjectId, chainId } = intent;
  if (intent.kind === "authorization") {
    await endAuthorization(pool, intent, { from, reason, state: "failed", txHash: undefined, now });
    return;
  }
  const move = { intent, from, reason, now };
  const isSweep = intent.kind === "sweep";
  const isEnded = isSweep
    ? await failSweep(pool, move)
    : await failIntent(pool, {
        ...move,
        event: outboxRow(toUnsentEvent(intent, { reason, at: now })),
      });
  if (!isEnded) return;
  intentsEndedTotal.inc({ chain: chainId, outcome: reason });
  log.warn({ chainId, subjectId, reason }, "a transfer is not sent");
  if (!isSweep) onWritten();
}

/** The event of an intent that no transaction pays. */
function toUnsentEvent(
  intent: Intent,
  { reason, at }: { reason: UnsentReason; at: Date },
): NewEvent {
  const { projectId, subjectId } = intent;
  return buildObservation(
    {
      id: derivedId("evt", projectId, subjectId, "unsent"),
      project_id: projectId,
      mode: intent.mode,
      subject_id: subjectId,
      request_id: intent.requestId,
      chainId: BigInt(intent.chainId),
      recipient: intent.destination,
      currency: intent.currency,
    },
    { type: "transfer.unsent", at, attempt: intent.version },
    { reason },
  );
}
