import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type OutboxRow, outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";

interface Known {
  id: string;
  name: string;
  callback_url: string | null;
  test_callback_url: string | null;
  payment_lifetime_minutes: number;
  version: number;
  updated_at: Date;
}

/** The event by which other services learn of a project. It has all they need of it, as it is after the change. */
export function projectEvent(
  type: "project.created" | "project.updated",
  project: Known,
  requestId: string,
): OutboxRow {
  return outboxRow({
    type,
    projectId: project.id,
    mode: Mode.LIVE,
    resourceId: project.id,
    sequence: project.version,
    occurredAt: timestampFromDate(project.updated_at),
    requestId,
    resource: {
      case: "project",
      value: {
        id: project.id,
        name: project.name,
        paymentLifetimeMinutes: project.payment_lifetime_minutes,
        version: project.version,
        ...(project.callback_url === null ? {} : { callbackUrl: project.callback_url }),
        testCallbackUrl: project.test_callback_url ?? "",
      },
    },
  });
}
