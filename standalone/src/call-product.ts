// One request to the running product, as the commands beside it send them.
import type { Credentials } from "./demo-project.ts";

const REQUEST_TIMEOUT_MS = 30_000;

type Keys = Pick<Credentials, "baseUrl"> &
  Partial<Pick<Credentials, "secretKey" | "publishableKey">>;

/** A refusal, with the status for callers that can do something else then. */
export class Refused extends Error {
  readonly status: number;
  constructor(what: string, status: number, message: string) {
    super(`${what}: ${status} ${message}`);
    this.status = status;
  }
}

export async function callProduct<T>(
  { baseUrl, secretKey, publishableKey }: Keys,
  { method, path, body }: { method: string; path: string; body?: object },
): Promise<T> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(secretKey && { "X-Secret-Key": secretKey }),
      ...(publishableKey && { "X-Publishable-Key": publishableKey }),
      ...(body && { "Content-Type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const answer = (await response.json()) as T & { message?: string };
  if (!response.ok) throw new Refused(`${method} ${path}`, response.status, answer.message ?? "");
  return answer;
}
