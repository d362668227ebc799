import { createHash } from "node:crypto";

/** A request that the merchant may repeat under one Idempotency-Key. */
export interface Idempotency {
  route: string;
  key: string;
  fingerprint: Uint8Array;
}

/** The part of a call that a repetition depends on. */
export interface RepeatableCall {
  tenant: { projectId: string; mode: number };
  /** Set when the merchant sent an Idempotency-Key. The salt decides the outcome besides path and body. */
  idempotency(salt?: string): Idempotency | undefined;
  /** Marks the response as that of an earlier request under the same Idempotency-Key. */
  noteReplay(answer: { replayed: boolean }): void;
}

/** Equal for a repeated request, so that it creates one endpoint even where its first response was lost. */
export function idempotencyDigest(call: RepeatableCall): Uint8Array {
  const key = call.idempotency();
  if (key === undefined) return new Uint8Array();
  const { projectId, mode } = call.tenant;
  const hash = createHash("sha256").update(JSON.stringify([projectId, mode, key.route, key.key]));
  return hash.update(key.fingerprint).digest();
}
