// Encrypts secrets of older keys with the current key, so that the operator can remove the older ones. The first round
// is late, because replicas that do not have a new key yet could not decrypt its secrets. A secret without its key
// stays.
import { every, type Runtime } from "@pay/process";
import type { Box } from "@pay/sealing";
import type { Pool } from "pg";
import {
  type ListSecretsAfterRow,
  listSecretsAfter,
  type ReplaceSealedSecretsSecrets,
  replaceSealedSecrets,
} from "../generated/sql.ts";
import { secretsUnreadable } from "../metrics.ts";

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
  let last: ListSecretsAfterRow | undefined;
  do {
    const secrets: ListSecretsAfterRow[] = await listSecretsAfter(pool, {
      projectId: last?.project_id ?? "",
      endpointId: last?.endpoint_id ?? "",
      seq: last?.seq ?? 0,
      limit: LIST_MAX,
    });
    const old = secrets.filter(({ sealed }) => !box.isCurrent(sealed));
    const resealed = old.flatMap((secret) => reseal(box, secret));
    counts.unreadable += old.length - resealed.length;
    if (resealed.length > 0) {
      counts.resealed += await replaceSealedSecrets(pool, { secrets: resealed });
    }
    last = secrets.at(-1);
  } while (last !== undefined && !stopping.aborted);
  return counts;
}

function reseal(box: Box, secret: ListSecretsAfterRow): ReplaceSealedSecretsSecrets[] {
  const { endpoint_id: endpointId, sealed } = secret;
  try {
    return [{ ...secret, resealed: box.seal(box.open(sealed, endpointId), endpointId) }];
  } catch {
    // Sending reports each endpoint whose secret cannot be decrypted.
    return [];
  }
}
