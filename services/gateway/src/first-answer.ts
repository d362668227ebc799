import { idempotencyScope, idempotentCall } from "@pay/database";
import { tenantOf } from "./caller.ts";
import type { Deps } from "./deps.ts";
import type { Call } from "./route.ts";

/**
 * A write that another service does, and that does no harm when it is done twice: repeated under the same
 * Idempotency-Key, it gives its first answer again, a refusal included.
 */
export const firstAnswer = async (
  { pool }: Pick<Deps, "pool">,
  call: Pick<Call, "caller" | "idempotency" | "reply">,
  write: () => Promise<object>,
  /** What decides the outcome besides path and body. */
  salt?: string,
): Promise<object> => {
  const asked = call.idempotency(salt);
  if (asked === undefined) return write();
  const { route, key, fingerprint } = asked;
  const request = { scope: idempotencyScope(tenantOf(call.caller), route), key, fingerprint };
  const { response, replayed } = await idempotentCall(pool, request, async () =>
    Buffer.from(JSON.stringify(await write())),
  );
  if (replayed) call.reply("Idempotent-Replayed", "true");
  return JSON.parse(Buffer.from(response).toString());
};
