import * as idempotent from "@pay/idempotency";
import type { Pool } from "pg";
import type { RepeatableCall } from "./repeatable-call.ts";
import type { SealedResponses } from "./sealed-responses.ts";

interface Work {
  write(): Promise<object>;
  /** Throws where the caller may not write. It runs before anything is kept under the key. */
  permit?: (() => Promise<unknown>) | undefined;
  /** What decides the outcome besides path and body. */
  salt?: string;
  /** False where anyone may cause a refusal, so that none of them leaves a row. */
  keepsRefusals?: boolean;
}

/**
 * A write that another service does, and that does no harm when it is done twice: repeated under the same
 * Idempotency-Key, it gives its first answer again, a refusal included.
 */
export async function forwardOnce(
  { pool }: { pool: Pool },
  call: RepeatableCall,
  work: Work,
): Promise<object> {
  return answer(pool, call, { ...work, ...PLAIN });
}

/** The same for an answer that may hold a secret, which is kept encrypted. */
export async function forwardSecretOnce(
  { pool, sealedResponses }: { pool: Pool; sealedResponses: SealedResponses },
  call: RepeatableCall,
  work: Work,
): Promise<object> {
  return answer(pool, call, { ...work, ...sealedResponses });
}

const PLAIN: SealedResponses = {
  seal: (content) => Buffer.from(content),
  open: (kept) => Buffer.from(kept),
};

async function answer(
  pool: Pool,
  call: RepeatableCall,
  { write, permit, salt, keepsRefusals, seal, open }: Work & SealedResponses,
): Promise<object> {
  const asked = call.idempotency(salt);
  if (asked === undefined) {
    await permit?.();
    return write();
  }
  const { route, key, fingerprint } = asked;
  const request = { scope: idempotent.idempotencyScope(call.tenant, route), key, fingerprint };
  const earlier = permit && (await idempotent.findAnswer(pool, request));
  if (earlier === undefined) await permit?.();
  const { response, replayed } =
    earlier === undefined
      ? await idempotent.forwardOnce(
          pool,
          request,
          async () => seal(Buffer.from(JSON.stringify(await write())), request),
          { keepsRefusals },
        )
      : { response: earlier, replayed: true };
  call.noteReplay({ replayed });
  return JSON.parse(open(response, request).toString());
}
