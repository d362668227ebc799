// A change as the project's owner asks for it. Where it names an address for webhooks, the endpoint has the address
// before the answer is given:
// - the webhooks service is away: it is asked before anything is changed, so the request is refused and all is as it
//   was;
// - it goes away between the change and its own write: the request is refused although the project is changed; the
//   same request once more completes it, and so does the event of the change by itself;
// - two changes at once: the endpoint takes the newer version, in whatever order the two writes arrive.

import { Failure } from "@pay/failures";
import type { AuditTrail } from "../audit/trail.ts";
import type { Caller } from "../keys/caller.ts";
import type { Services } from "../services/services.ts";
import { type ChangeParts, changeProject, type ProjectChange } from "./change-project.ts";
import { findCallbackUrl, findProject, type Project } from "./storage.ts";

/** The callbackUrl is that of the key's mode. */
export type OwnersChange = Omit<ProjectChange, "testCallbackUrl">;

export interface SavedProject {
  project: Project;
  /** Of test mode's endpoint, for the one answer that shows it. */
  webhookSecret?: string;
}

interface OwnersCall {
  caller: Caller;
  requestId: string;
  services: Services;
  audit: Pick<AuditTrail, "record">;
}

export async function saveProject(
  deps: ChangeParts,
  call: OwnersCall,
  { callbackUrl, ...rest }: OwnersChange,
): Promise<SavedProject> {
  const { projectId, mode, actor } = call.caller;
  function save(change: ProjectChange) {
    return changeProject(deps, projectId, change, { ...call, actor });
  }

  if (callbackUrl === undefined) return { project: await save(rest) };
  const before = await findProject(deps.prisma, projectId);
  if (before === undefined) throw new Failure("project_not_found", "Project not found");
  await writeEndpoint(call, before);
  const address = mode === "live" ? { callbackUrl } : { testCallbackUrl: callbackUrl };
  const project = await save({ ...rest, ...address });
  // The secret of live mode was shown when the project was made.
  const showSecret = mode === "test" && callbackUrl !== null;
  const secret = await writeEndpoint(call, project, showSecret);
  return { project, ...(secret && { webhookSecret: secret }) };
}

/** The endpoint's secret, where it is asked for and was never shown. */
async function writeEndpoint(
  { caller, services }: OwnersCall,
  project: Project,
  showSecret = false,
): Promise<string> {
  const { secret } = await services.webhooks.putDefaultEndpoint({
    url: findCallbackUrl(project, caller.mode) ?? undefined,
    projectVersion: project.version,
    showSecret,
    changedBy: caller.actor,
  });
  return secret;
}
