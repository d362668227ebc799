// Requests to the API with the member's sign-in.
import { withConfirmation } from "./own.ts";
import { type Answer, send } from "./send.ts";
import type { Workspace } from "./session.ts";

interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: object | undefined;
  /** The same for each repetition of one write. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Which project and mode a request is about. */
export function buildHeaders({ membership, mode }: Workspace) {
  return { "X-Project": membership.projectId, "X-Service-Mode": mode };
}

async function callOnce<Body>(
  workspace: Workspace,
  path: string,
  { method = "GET", body, idempotencyKey, signal }: Call = {},
): Promise<Answer<Body>> {
  const isWrite = method !== "GET";
  const headers = {
    ...buildHeaders(workspace),
    // The fields of a payment link would choose the older shape.
    ...(isWrite && { "X-CSRF-Token": workspace.session.csrfToken, "X-Service-Variant": "primary" }),
    ...(body && { "Content-Type": "application/json" }),
    ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return send(path, init, signal);
}

/** A page that opens does not ask for a passkey by itself; a write, which a person has just pressed, does. */
export function callApi<Body>(
  workspace: Workspace,
  path: string,
  call: Call = {},
): Promise<Answer<Body>> {
  const once = () => callOnce<Body>(workspace, path, call);
  return (call.method ?? "GET") === "GET" ? once() : withConfirmation(workspace.session, once);
}
