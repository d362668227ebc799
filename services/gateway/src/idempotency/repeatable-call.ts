/** What an Idempotency-Key of a merchant stands for. */
export interface Idempotency {
  route: string;
  key: string;
  fingerprint: Uint8Array;
}

/** What a repetition of a request depends on. */
export interface RepeatableCall {
  tenant: { projectId: string; mode: number };
  /** Set when the merchant sent an Idempotency-Key. The salt is what decides the outcome besides path and body. */
  idempotency(salt?: string): Idempotency | undefined;
  /** Tells the client when the answer is that of an earlier request under the same Idempotency-Key. */
  noteReplay(answer: { replayed: boolean }): void;
}
