// Seals secrets anew that another key than the current one sealed, so that the operator can retire it. The first round comes
// late: where an operator makes a new key the current one in the step that adds it, replicas that do not have it yet could
// not open what this one seals. A secret whose key is gone is left as it is and counted.
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
    name: "sealing of webhook secrets under the current key",
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

/** Walks all secrets once. Two replicas that do so at a time write each secret once. */
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
    const fresh = old.flatMap((secret) => resealed(box, secret));
    counts.unreadable += old.length - fresh.length;
    counts.resealed += fresh.length === 0 ? 0 : await updateSealed(pool, fresh);
    last = secrets.at(-1);
  } while (last !== undefined && !stopping.aborted);
  return counts;
}

function resealed(box: Box, secret: SealedSecret): (SealedSecret & { fresh: Buffer })[] {
  const { endpointId, sealed } = secret;
  try {
    return [{ ...secret, fresh: box.seal(box.open(sealed, endpointId), endpointId) }];
  } catch {
    // Sending says of each endpoint that its secret cannot be opened.
    return [];
  }
}
