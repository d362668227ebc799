import { create } from "@bufbuild/protobuf";
import { type OutboxRow, planEvents } from "@pay/events";
import { Mode, ProjectSnapshotSchema, ScreeningSchema } from "@pay/proto";
import type { ScreeningPolicy } from "@pay/values";
import type { Project } from "./storage.ts";

/** What other services learn of a project. A field of the message without a column here does not compile. */
type Known = Pick<
  Project,
  | "id"
  | "name"
  | "callback_url"
  | "test_callback_url"
  | "payment_lifetime_minutes"
  | "payout_wallets"
  | "screening"
  | "version"
  | "updated_at"
>;

/** What a change set, and who made it; the operator has no id. */
interface ChangeNote {
  changed_fields: string[];
  changed_by: string | null;
}

/** A project belongs to itself. */
type Own = Known & ChangeNote & { project_id: string; mode: Mode };

const toEvent = planEvents<typeof ProjectSnapshotSchema, Omit<Own, "screening">, Own>(
  ProjectSnapshotSchema,
  {
    project_id: "internal",
    mode: "internal",
    updated_at: "internal",
    screening: "unstored",
  },
  ({ screening }) => (screening === null ? {} : { screening: toScreening(screening) }),
);

function toScreening({ oracle, list = [], url, onFail }: ScreeningPolicy) {
  return create(ScreeningSchema, {
    ...(oracle && { oracle }),
    ...(url && { url }),
    list: [...list],
    onFail,
  });
}

/** The event by which other services learn of a project. It has all they need of it, as it is after the change. */
export function projectEvent(
  type: Parameters<typeof toEvent>[0],
  project: Known,
  requestId: string,
  note: ChangeNote = { changed_fields: [], changed_by: null },
): OutboxRow {
  const own = {
    ...project,
    ...note,
    project_id: project.id,
    mode: Mode.LIVE,
    // An absent address of test mode would mean that the publisher knows no test mode.
    test_callback_url: project.test_callback_url ?? "",
  };
  return toEvent(type, own, project.updated_at, requestId);
}
