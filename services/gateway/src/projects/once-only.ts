import { findAnswer, idempotencyScope, idempotently, transaction } from "@pay/database";
import type { PoolClient } from "pg";
import { tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Call } from "../route.ts";

/** A write of the gateway's own: repeated under the same Idempotency-Key, it gives its first answer again. */
export const onceOnly = async <T extends object>(
  { pool, vault }: Pick<Deps, "pool" | "vault">,
  call: Call,
  work: (tx: PoolClient) => Promise<T>,
): Promise<T> => {
  const asked = call.idempotency();
  if (asked === undefined) return transaction(pool, work);
  const { route, key, fingerprint } = asked;
  const scope = idempotencyScope(tenantOf(call.caller), route);
  const { response, replayed } = await idempotently(pool, { scope, key, fingerprint }, async (tx) =>
    vault.seal(Buffer.from(JSON.stringify(await work(tx)))),
  );
  if (replayed) call.reply("Idempotent-Replayed", "true");
  return JSON.parse(vault.open(response).toString());
};

/** The first answer, for work that asks others before its write: what was answered is answered without asking. */
export const answeredBefore = async <T extends object>(
  { pool, vault }: Pick<Deps, "pool" | "vault">,
  call: Call,
): Promise<T | undefined> => {
  const asked = call.idempotency();
  if (asked === undefined) return undefined;
  const { route, key, fingerprint } = asked;
  const scope = idempotencyScope(tenantOf(call.caller), route);
  const response = await findAnswer(pool, { scope, key, fingerprint });
  if (response === undefined) return undefined;
  call.reply("Idempotent-Replayed", "true");
  return JSON.parse(vault.open(response).toString());
};
