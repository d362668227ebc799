import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BatchGetTimelinesRequest, BatchGetTimelinesResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { buildTimeline } from "../domain/timeline.ts";
import { toStep } from "../messages.ts";
import { findPayments } from "../storage/payments.ts";
import { findSteps } from "../storage/timelines.ts";

/** Payments are read first, so that a change between the two reads is among the steps. */
export async function getTimelines(
  { db }: Deps,
  { tenant: owner, ids }: BatchGetTimelinesRequest,
): Promise<MessageInitShape<typeof BatchGetTimelinesResponseSchema>> {
  const tenant = parseTenant(owner);
  const payments = await findPayments(
    db.pool,
    ids.map((id) => ({ tenant, id })),
  );
  const own = payments.filter((payment) => payment !== undefined);
  const steps = await findSteps(db.pool, own);
  return {
    timelines: payments.map((payment) =>
      payment === undefined
        ? { steps: [] }
        : { steps: buildTimeline(payment, steps.get(payment.id) ?? []).map(toStep) },
    ),
  };
}
