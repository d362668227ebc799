import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BatchGetTimelinesRequest, BatchGetTimelinesResponseSchema } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { timelineOf } from "../domain/timeline.ts";
import { findPayments } from "../storage.ts";
import { findSteps } from "../timeline-storage.ts";
import { toStep } from "../wire.ts";

/** The payments are read first: a change between the two reads is then told by its step. */
export const getTimelines = async (
  { db }: Deps,
  { tenant: owner, ids }: BatchGetTimelinesRequest,
): Promise<MessageInitShape<typeof BatchGetTimelinesResponseSchema>> => {
  const tenant = tenantOf(owner);
  const payments = await findPayments(
    db.pool,
    ids.map((id) => ({ tenant, id })),
  );
  const own = payments.flatMap((payment) => (payment === undefined ? [] : [payment.id]));
  const steps = await findSteps(db.pool, own);
  return {
    timelines: payments.map((payment) =>
      payment === undefined
        ? { steps: [] }
        : { steps: timelineOf(payment, steps.get(payment.id) ?? []).map(toStep) },
    ),
  };
};
