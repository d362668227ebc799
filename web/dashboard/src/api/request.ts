// Requests to the API with the member's sign-in.
import type { Session, Workspace } from "./session.ts";

const CALL_MS = 15_000;

interface ErrorBody {
  message?: string;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;

  constructor(response: Pick<Response, "status" | "headers">, { message }: ErrorBody) {
    super(message ?? `The service answered ${response.status}`);
    this.status = response.status;
    this.code = response.headers.get("X-Error-Code") ?? `http_${response.status}`;
    this.requestId = response.headers.get("X-Request-Id") ?? "";
  }
}

export interface Answer<Body> {
  body: Body;
  headers: Headers;
}

interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: object | undefined;
  /** The same for each repetition of one write. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Ends by itself, or when the page no longer wants the answer. */
async function fetchInTime(path: string, init: RequestInit, signal?: AbortSignal) {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException("The service did not answer in time", "TimeoutError")),
    CALL_MS,
  );
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  try {
    const response = await fetch(path, { ...init, signal: controller.signal });
    const text = await response.text();
    return { response, text };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Undefined where something else than the service answered, e.g. a proxy with a page of its own. */
function parseBody(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The sign-in page leads back to the present address. */
function leaveToSignIn(): void {
  const next = location.pathname + location.search;
  location.assign(`/dashboard/sign-in?next=${encodeURIComponent(next)}`);
}

async function send<Body>(path: string, init: RequestInit, signal?: AbortSignal) {
  const { response, text } = await fetchInTime(path, init, signal);
  const body = parseBody(text);
  if (body === undefined) throw new ApiError(response, { message: "The service did not answer." });
  if (response.ok) return { body: body as Body, headers: response.headers };
  const error = new ApiError(response, body as ErrorBody);
  if (error.status === 401 && error.code !== "confirmation_required") leaveToSignIn();
  throw error;
}

export async function callApi<Body>(
  { session, membership, mode }: Workspace,
  path: string,
  { method = "GET", body, idempotencyKey, signal }: Call = {},
): Promise<Answer<Body>> {
  const isWrite = method !== "GET";
  const headers = {
    "X-Project": membership.projectId,
    "X-Service-Mode": mode,
    ...(isWrite && { "X-CSRF-Token": session.csrfToken }),
    ...(body && { "Content-Type": "application/json" }),
    ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return send(path, init, signal);
}

export async function readSession(): Promise<Session> {
  return (await send<Session>("/dashboard/session", {})).body;
}

export async function signOut({ csrfToken }: Session): Promise<void> {
  await send("/dashboard/sign-out", { method: "POST", headers: { "X-CSRF-Token": csrfToken } });
}
