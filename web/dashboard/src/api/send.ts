// One request to the service, which ends in its answer or in an error with its code.
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

export async function send<Body>(
  path: string,
  init: RequestInit,
  signal?: AbortSignal,
): Promise<Answer<Body>> {
  const { response, text } = await fetchInTime(path, init, signal);
  const body = parseBody(text);
  if (body === undefined) throw new ApiError(response, { message: "The service did not answer." });
  if (response.ok) return { body: body as Body, headers: response.headers };
  const error = new ApiError(response, body as ErrorBody);
  if (error.status === 401 && error.code !== "confirmation_required") leaveToSignIn();
  throw error;
}
