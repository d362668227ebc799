// One call: tries, pauses between them, and one timeout for all of them together.
import type { Answer, CallOptions, ResponseInfo } from "./calls.ts";
import { PayError, refusalIn } from "./errors.ts";
import { canRetry, pauseMs } from "./retry.ts";

const TIMEOUT_MS = 30_000;
const RETRIES_MAX = 2;

export interface Call {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** A repetition of it changes nothing. */
  isRepeatable: boolean;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export async function send<Body>(
  call: Call,
  options: CallOptions<unknown>,
  fetch: Fetch,
): Promise<{ answer: Answer<Body>; headers: Headers }> {
  const { signal, timeoutMs = TIMEOUT_MS, retriesMax = RETRIES_MAX } = options;
  const endMs = Date.now() + timeoutMs;
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    const leftMs = Math.max(endMs - Date.now(), 1);
    // A try without a response leaves time for the tries after it.
    const tryMs = Math.ceil(leftMs / (retriesMax + 2 - tries));
    const result = await tryOnce<Body>(call, { fetch, signal, tryMs, tries });
    if (!("error" in result)) return result;
    const { error } = result;
    signal?.throwIfAborted();
    const waitMs = pauseMs(tries, error.retryAfter);
    const isLast = tries > retriesMax || Date.now() + waitMs >= endMs;
    if (isLast || !canRetry(error, call.isRepeatable)) throw error;
    await pause(waitMs, signal);
  }
}

interface Try {
  fetch: Fetch;
  signal: AbortSignal | undefined;
  tryMs: number;
  tries: number;
}

type Result<Body> = { answer: Answer<Body>; headers: Headers } | { error: PayError };

async function tryOnce<Body>(
  call: Call,
  { fetch, signal, tryMs, tries }: Try,
): Promise<Result<Body>> {
  const { method, url, headers, body } = call;
  const deadline = AbortSignal.timeout(tryMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: "manual" as const,
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    if (!response.ok) {
      return { error: await refusalIn(response) };
    }
    const answer = (await response.json()) as Body;
    return { answer: withResponse(answer, response, tries), headers: response.headers };
  } catch (cause) {
    const code = deadline.aborted ? "timeout" : "no_answer";
    const message = deadline.aborted ? "the service did not respond in time" : "no response";
    return { error: new PayError(message, { status: 0, code, cause }) };
  }
}

function withResponse<Body>(
  body: Body,
  { status, headers }: Response,
  tries: number,
): Answer<Body> {
  const info: ResponseInfo = {
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
    replayed: headers.get("Idempotent-Replayed") === "true",
    version: headers.get("X-Service-Version") ?? undefined,
    warning: headers.get("X-Service-Warning") ?? undefined,
    tries,
  };
  return Object.defineProperty(body as object, "$response", { value: info }) as Answer<Body>;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }

    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
