import { transaction } from "@pay/database";
import * as idempotent from "@pay/idempotency";
import type { Pool, PoolClient } from "pg";
import type { RepeatableCall } from "./repeatable-call.ts";
import type { SealedResponses } from "./sealed-responses.ts";

interface Needed {
  pool: Pool;
  sealedResponses: SealedResponses;
}

/** A write to the gateway's own database: repeated under the same Idempotency-Key, it gives its first answer again. */
export async function writeOnce<T extends object>(
  { pool, sealedResponses }: Needed,
  call: RepeatableCall,
  work: (tx: PoolClient) => Promise<T>,
): Promise<T> {
  const request = toRequest(call);
  if (request === undefined) return transaction(pool, work);
  const { response, replayed } = await idempotent.writeOnce(pool, request, async (tx) =>
    sealedResponses.seal(Buffer.from(JSON.stringify(await work(tx))), request),
  );
  call.noteReplay({ replayed });
  return JSON.parse(sealedResponses.open(response, request).toString());
}

/** The first answer, for work that calls others before its write: a repeated request must not call them again. */
export async function findFirstResponse<T extends object>(
  { pool, sealedResponses }: Needed,
  call: RepeatableCall,
): Promise<T | undefined> {
  const request = toRequest(call);
  if (request === undefined) return undefined;
  const response = await idempotent.findAnswer(pool, request);
  if (response === undefined) return undefined;
  call.noteReplay({ replayed: true });
  return JSON.parse(sealedResponses.open(response, request).toString());
}

function toRequest(call: RepeatableCall): idempotent.IdempotentRequest | undefined {
  const asked = call.idempotency();
  if (asked === undefined) return undefined;
  const { route, key, fingerprint } = asked;
  return { scope: idempotent.idempotencyScope(call.tenant, route), key, fingerprint };
}
