import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { messageOf, planMessages } from "@pay/database";
import { type OutboxRow, outboxRow } from "@pay/events";
import { Mode, ProjectSchema } from "@pay/proto";
import type { Project } from "./storage.ts";

/** What other services learn of a project. A field of the message without a column here does not compile. */
type Known = Pick<
  Project,
  | "id"
  | "name"
  | "callback_url"
  | "test_callback_url"
  | "payment_lifetime_minutes"
  | "version"
  | "updated_at"
>;

const PROJECTS = planMessages<typeof ProjectSchema, Known>(ProjectSchema, {
  updated_at: "internal",
});

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
      // An absent address of test mode would mean that the publisher knows no test mode.
      value: messageOf(PROJECTS, {
        ...project,
        test_callback_url: project.test_callback_url ?? "",
      }),
    },
  });
}
