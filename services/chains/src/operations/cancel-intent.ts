import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CancelIntentRequest, CancelIntentResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { endIntent } from "../payouts/fail-intent.ts";
import { findIntent } from "../payouts/storage/intents.ts";

/** Its end and its signature are guarded by the same state, so only one of them happens. */
export async function cancelIntent(
  { pool, clock, log, relay }: Deps,
  { tenant, requestId, subjectId }: CancelIntentRequest,
): Promise<MessageInitShape<typeof CancelIntentResponseSchema>> {
  const subject = { ...parseTenant(tenant), subjectId };
  const found = await findIntent(pool, subject);
  if (found === undefined) return { isKnown: false, isEnded: false };
  const sending = { pool, clock, log, onWritten: () => relay.wake() };
  const intent = { ...found.intent, requestId };
  await endIntent(sending, intent, { from: "waiting", reason: "cancelled" });
  const after = await findIntent(pool, subject);
  return { isKnown: true, isEnded: after?.state === "failed" };
}
