// The server's side of one payment, as a shopper's page may see it.
import type { PaymentHandoff, PaymentStatus } from "../api/records/payments.ts";
import { readEvents } from "./read-events.ts";

/** What the server knows of the payment. What is shown follows from it, and never from a wallet's promise. */
export type Status = PaymentStatus;

/** Which payment, and how to reach it. */
export interface PaymentAccess {
  id: string;
  clientSecret: string;
  /** Pages of a merchant need it; the product's own page does not. */
  publishableKey?: string | undefined;
  /** Where the service is; the page's own address without it. */
  baseUrl?: string | undefined;
}

/** Why there is no new status: the link is wrong, the server asks for a pause, or it cannot be reached. */
export type Look =
  | { kind: "seen"; status: Status }
  | { kind: "unchanged" }
  | { kind: "bad-link" }
  | { kind: "busy"; waitMs: number }
  | { kind: "offline" };

/** What came of a hash or of a payer that was handed in. */
export type Submission =
  | { kind: "taken" }
  | { kind: "refused"; code: string }
  | { kind: "offline" };

export interface Server {
  look(): Promise<Look>;
  /** Reads every change as it happens, until the stream ends, for whatever reason. */
  listen(onSeen: (status: Status) => void, signal: AbortSignal): Promise<void>;
  submit(hash: string, payer: string | undefined): Promise<Submission>;
  /** Names the wallet that will pay; with its signature, the one that has paid. */
  declare(payer: string, signature?: string): Promise<Submission>;
  /** Asks for more time; what became of it shows in the next status. */
  extend(): Promise<void>;
  /** A link that opens the checkout page once in another browser, e.g. inside a wallet; undefined where there is none now. */
  handOff(): Promise<string | undefined>;
}

const ANSWER_MAX_MS = 10_000;
/** A shopper waits for the wallet meanwhile. */
const DECLARED_MAX_MS = 4_000;
const BUSY_MS = 5_000;

interface Asked extends RequestInit {
  headers?: Record<string, string>;
  maxMs?: number;
}

export function connectServer(access: PaymentAccess): Server {
  const { ask, post, handIn, follow } = createRequests(access);
  let tag: string | undefined;

  return {
    look: async () => {
      try {
        const headers: Record<string, string> = tag === undefined ? {} : { "If-None-Match": tag };
        const answer = await ask("/status", { headers });
        if (answer.status === 304) return { kind: "unchanged" };
        if (answer.status === 200) {
          const status = (await answer.json()) as Status;
          tag = answer.headers.get("ETag") ?? undefined;
          return { kind: "seen", status };
        }
        if (answer.status === 429) return { kind: "busy", waitMs: parsePause(answer) };
        return answer.status < 500 ? { kind: "bad-link" } : { kind: "offline" };
      } catch {
        return { kind: "offline" };
      }
    },
    listen: async (onSeen, signal) => {
      const answer = await follow(signal);
      const isStream = answer.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (!answer.ok || !isStream || answer.body === null) return;
      await readEvents(answer.body, (data) => onSeen(JSON.parse(data) as Status));
    },
    extend: async () => {
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      await post("/extend", {}, { headers }).catch(() => undefined);
    },
    handOff: async () => {
      try {
        const answer = await post("/handoff", {});
        return answer.ok ? ((await answer.json()) as PaymentHandoff).url : undefined;
      } catch {
        return undefined;
      }
    },
    submit: (hash, payer) => {
      const body = { txHash: hash, ...(payer && { payerAddress: payer }) };
      return handIn("/confirm", body, { headers: { "Idempotency-Key": `${hash} ${payer ?? ""}` } });
    },
    declare: (payer, signature) => {
      const body = { payerAddress: payer, ...(signature !== undefined && { signature }) };
      return handIn("/payer", body, { maxMs: DECLARED_MAX_MS });
    },
  };
}

/** The requests that the calls are made of. */
function createRequests(access: PaymentAccess) {
  const { id, clientSecret, publishableKey, baseUrl = "" } = access;
  const base = `${baseUrl.replace(/\/$/, "")}/v1/payments/${encodeURIComponent(id)}`;
  const credentials = {
    "X-Client-Secret": clientSecret,
    ...(publishableKey !== undefined && { "X-Publishable-Key": publishableKey }),
  };
  function ask(path: string, { maxMs = ANSWER_MAX_MS, ...init }: Asked = {}) {
    return fetch(base + path, {
      ...init,
      headers: { ...credentials, ...init.headers },
      signal: AbortSignal.timeout(maxMs),
      credentials: "omit",
      cache: "no-store",
    });
  }

  function post(path: string, body: object, more: Asked = {}) {
    return ask(path, {
      ...more,
      method: "POST",
      headers: { "Content-Type": "application/json", ...more.headers },
      body: JSON.stringify(body),
    });
  }

  async function handIn(path: string, body: object, more: Asked): Promise<Submission> {
    try {
      const answer = await post(path, body, more);
      if (answer.ok) return { kind: "taken" };
      if (answer.status === 429 || answer.status >= 500) return { kind: "offline" };
      return { kind: "refused", code: answer.headers.get("X-Error-Code") ?? "" };
    } catch {
      return { kind: "offline" };
    }
  }

  /** Without a bound on its time: a stream lasts until one side ends it. */
  function follow(signal: AbortSignal) {
    return fetch(`${base}/status`, {
      headers: { ...credentials, Accept: "text/event-stream" },
      signal,
      credentials: "omit",
      cache: "no-store",
    });
  }

  return { ask, post, handIn, follow };
}

function parsePause(answer: Response): number {
  const seconds = Number(answer.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1_000 : BUSY_MS;
}
