// The server's side of one payment, for the page of a customer.
import type { PaymentHandoff, PaymentStatus } from "../api/records/payments.ts";
import { readEvents } from "./read-events.ts";

/** The payment as the server has it. The page shows this, never the claim of a wallet. */
export type Status = PaymentStatus;

/** The payment, and the credentials to read it. */
export interface PaymentAccess {
  id: string;
  clientSecret: string;
  /** Required on pages of a merchant, not on the checkout page. */
  publishableKey?: string | undefined;
  /** Address of the service; default: the address of the page. */
  baseUrl?: string | undefined;
}

/** A status, or the reason for none: the link is invalid, the server requests a pause, or it cannot be reached. */
export type Look =
  | { kind: "seen"; status: Status }
  | { kind: "unchanged" }
  | { kind: "bad-link" }
  | { kind: "busy"; waitMs: number }
  | { kind: "offline" };

/** The result of a submitted hash or declared payer. */
export type Submission =
  | { kind: "taken" }
  | { kind: "refused"; code: string }
  | { kind: "offline" };

export interface Server {
  look(): Promise<Look>;
  /** Reads each change until the stream ends, for whatever reason. */
  listen(onSeen: (status: Status) => void, signal: AbortSignal): Promise<void>;
  submit(hash: string, payer: string | undefined): Promise<Submission>;
  /** Declares the customer's wallet; with a signature, proves that it pays this payment. */
  declare(payer: string, signature?: string): Promise<Submission>;
  /** Hands over what the wallet has signed in place of a transaction. */
  authorize(authorization: object, signature: string): Promise<Submission>;
  /** Extends the time limit; the next status shows the result. */
  extend(): Promise<void>;
  /**
   * A link that opens the checkout page once in another browser, e.g. of a wallet app; undefined where none is
   * available.
   */
  handOff(): Promise<string | undefined>;
}

const RESPONSE_MAX_MS = 10_000;
/** The customer waits for the wallet meanwhile. */
const DECLARED_MAX_MS = 4_000;
const BUSY_MS = 5_000;
/** A 503 that asks for another way to pay, not for patience. */
const EXHAUSTED = "sponsor_exhausted";

interface RequestOptions extends RequestInit {
  headers?: Record<string, string>;
  maxMs?: number;
}

export function connectServer(access: PaymentAccess): Server {
  const { request, post, postSubmission, follow } = createRequests(access);
  let tag: string | undefined;

  return {
    look: async () => {
      try {
        const headers: Record<string, string> = tag === undefined ? {} : { "If-None-Match": tag };
        const response = await request("/status", { headers });
        if (response.status === 304) return { kind: "unchanged" };
        if (response.status === 200) {
          const status = (await response.json()) as Status;
          tag = response.headers.get("ETag") ?? undefined;
          return { kind: "seen", status };
        }
        if (response.status === 429) return { kind: "busy", waitMs: parsePause(response) };
        return response.status < 500 ? { kind: "bad-link" } : { kind: "offline" };
      } catch {
        return { kind: "offline" };
      }
    },
    listen: async (onSeen, signal) => {
      const response = await follow(signal);
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (!response.ok || !isStream || response.body === null) return;
      await readEvents(response.body, (data) => onSeen(JSON.parse(data) as Status));
    },
    extend: async () => {
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      await post("/extend", {}, { headers }).catch(() => undefined);
    },
    handOff: async () => {
      try {
        const response = await post("/handoff", {});
        return response.ok ? ((await response.json()) as PaymentHandoff).url : undefined;
      } catch {
        return undefined;
      }
    },
    submit: (hash, payer) => {
      const body = { txHash: hash, ...(payer && { payerAddress: payer }) };
      return postSubmission("/confirm", body, {
        headers: { "Idempotency-Key": `${hash} ${payer ?? ""}` },
      });
    },
    declare: (payer, signature) => {
      const body = { payerAddress: payer, ...(signature !== undefined && { signature }) };
      return postSubmission("/payer", body, { maxMs: DECLARED_MAX_MS });
    },
    authorize: (authorization, signature) =>
      postSubmission("/authorize", { authorization, signature }),
  };
}

/** The requests of all calls. */
function createRequests(access: PaymentAccess) {
  const { id, clientSecret, publishableKey, baseUrl = "" } = access;
  const base = `${baseUrl.replace(/\/$/, "")}/v1/payments/${encodeURIComponent(id)}`;
  const credentials = {
    "X-Client-Secret": clientSecret,
    ...(publishableKey !== undefined && { "X-Publishable-Key": publishableKey }),
  };
  function request(path: string, { maxMs = RESPONSE_MAX_MS, ...init }: RequestOptions = {}) {
    return fetch(base + path, {
      ...init,
      headers: { ...credentials, ...init.headers },
      signal: AbortSignal.timeout(maxMs),
      credentials: "omit",
      cache: "no-store",
    });
  }

  function post(path: string, body: object, more: RequestOptions = {}) {
    return request(path, {
      ...more,
      method: "POST",
      headers: { "Content-Type": "application/json", ...more.headers },
      body: JSON.stringify(body),
    });
  }

  async function postSubmission(
    path: string,
    body: object,
    more: RequestOptions = {},
  ): Promise<Submission> {
    try {
      const response = await post(path, body, more);
      if (response.ok) return { kind: "taken" };
      const code = response.headers.get("X-Error-Code") ?? "";
      const isLater = response.status === 429 || response.status >= 500;
      return isLater && code !== EXHAUSTED ? { kind: "offline" } : { kind: "refused", code };
    } catch {
      return { kind: "offline" };
    }
  }

  /** Without a timeout: a stream lasts until one side ends it. */
  function follow(signal: AbortSignal) {
    return fetch(`${base}/status`, {
      headers: { ...credentials, Accept: "text/event-stream" },
      signal,
      credentials: "omit",
      cache: "no-store",
    });
  }

  return { request, post, postSubmission, follow };
}

function parsePause(response: Response): number {
  const seconds = Number(response.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1_000 : BUSY_MS;
}
