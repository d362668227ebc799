import { createHash } from "node:crypto";
import type { Call } from "../../pipeline/route.ts";

/** The same for a repeated request, so that it makes one endpoint even where its first answer was lost. */
export function idempotencyDigest(call: Call): Uint8Array {
  const asked = call.idempotency();
  if (asked === undefined) return new Uint8Array();
  const { projectId, mode } = call.tenant;
  const hash = createHash("sha256").update(
    JSON.stringify([projectId, mode, asked.route, asked.key]),
  );
  return hash.update(asked.fingerprint).digest();
}
