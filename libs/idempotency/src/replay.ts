// The first answer under a key, given again.
import type { Queryable } from "@pay/database";
import type { Pool } from "pg";
import { findResponse } from "./generated/sql.ts";
import { type IdempotentRequest, outcomes, sameRequest } from "./key.ts";
import { decodeAnswer } from "./stored-answer.ts";

export interface IdempotentAnswer {
  response: Uint8Array;
  /** True when an earlier request did the work. */
  replayed: boolean;
}

/** The answer that an earlier request was given. */
export function toReplayedAnswer(stored: Uint8Array): IdempotentAnswer {
  outcomes.inc({ outcome: "replayed" });
  return { response: decodeAnswer(stored, true), replayed: true };
}

/** The answer that this request is the first to get. */
export function toFirstAnswer(stored: Uint8Array): IdempotentAnswer {
  outcomes.inc({ outcome: "first" });
  return { response: decodeAnswer(stored, false), replayed: false };
}

/**
 * The first answer, if there is one yet. For work that calls other services before its transaction or before its claim:
 * a repeated request gets its answer without those calls.
 */
export async function findAnswer(
  pool: Pool,
  request: IdempotentRequest,
): Promise<Uint8Array | undefined> {
  const stored = await findStored(pool, request);
  return stored && toReplayedAnswer(stored).response;
}

/** Undefined too where a forwarded call has claimed the key and has no answer yet. */
export async function findStored(
  db: Queryable,
  { scope, key, fingerprint }: IdempotentRequest,
): Promise<Uint8Array | undefined> {
  const [stored] = await findResponse(db, { scope, key });
  if (stored === undefined) return undefined;
  sameRequest(stored.fingerprint, fingerprint);
  return stored.response.length === 0 ? undefined : stored.response;
}
