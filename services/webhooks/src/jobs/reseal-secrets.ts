// Encrypts secrets of older keys with the current key, so that the operator can remove the older ones. The first round
// is late, because replicas that do not have a new key yet could not decrypt its secrets. A secret without its key
// stays.
import { every, type Runtime } from "@pay/process";
import type { Box } from "@pay/sealing";
import type { Pool } from "pg";
import { secretsUnreadable } from "../metrics.ts";
import { listSecretsAfter, type SealedSecret, updateSealed } from "../storage/sealed-secrets.ts";

const INTERVAL_MS = 900_000;
const LIST_MAX = 500;

export function startResealing(options: { pool: Pool; box: Box; runtime: Runtime }): void {
  const { pool, box, runtime } = options;
  let isFirst = true;
  every({
    name: "encryption of webhook secrets with the current key",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const isEarly = isFirst;
      isFirst = false;
      if (isEarly) return;
      const { resealed, unreadable } = await resealSecrets(pool, box, runtime.stopping);
      secretsUnreadable.set(unreadable);
      if (resealed + unreadable > 0) {
        runtime.log.info({ resealed, unreadable }, "webhook secrets of older keys");
      }
    },
  });
}

/** Walks all secrets once; concurrent replicas write each secret once. */
export async function resealSecrets(
  pool: Pool,
  box: Box,
  stopping: AbortSignal,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  let last: SealedSecret | undefined;
  do {
    const secrets: SealedSecret[] = await listSecretsAfter(pool, last, LIST_MAX);
    const old = secrets.filter(({ sealed }) => !box.isCurrent(sealed));
    const fresh = old.flatMap((secret) => reseal(box, secret));
    counts.unreadable += old.length - fresh.length;
    counts.resealed += fresh.length === 0 ? 0 : await updateSealed(pool, fresh);
    last = secrets.at(-1);
  } while (last !== undefined && !stopping.aborted);
  return counts;
}

function reseal(box: Box, secret: SealedSecret): (SealedSecret & { fresh: Buffer })[] {
  const { endpointId, sealed } = secret;
  try {
    return [{ ...secret, fresh: box.seal(box.open(sealed, endpointId), endpointId) }];
  } catch {
    // Sending reports each endpoint whose secret cannot be decrypted.
    return [];
  }
}
