// Answers with a new key are kept for a day, so that a repeated request gets them again. They are kept encrypted
// under a secret that the database does not have, so the table shows no key. Each version of the secret has a key of
// its own. An answer opens only for the request it answers, so a row that is copied to another request stays closed.
import { hkdfSync } from "node:crypto";
import type { IdempotentRequest } from "@pay/idempotency";
import { createBox, openWithoutContext, type SealingKey } from "@pay/sealing";

type Answered = Pick<IdempotentRequest, "scope" | "key">;

export interface SealedResponses {
  seal(content: Uint8Array, request: Answered): Buffer;
  /** Throws when the content was changed, sealed for another request or sealed under another secret. */
  open(sealed: Uint8Array, request: Answered): Buffer;
}

/** Any of the product's secrets that has versions. */
interface Secret {
  version: number;
  secret: string;
}

function getKey({ version, secret }: Secret): SealingKey {
  return { version, key: Buffer.from(hkdfSync("sha256", secret, "", "gateway answers v1", 32)) };
}

function readContext({ scope, key }: Answered): string {
  return JSON.stringify([scope, key]);
}

/** The first secret seals, all of them open. */
export function createSealedResponses([current, ...older]: readonly [
  Secret,
  ...Secret[],
]): SealedResponses {
  const keys = [getKey(current), ...older.map(getKey)] as const;
  const box = createBox(keys);
  return {
    seal: (content, request) => box.seal(content, readContext(request)),
    open: (sealed, request) => {
      try {
        return box.open(sealed, readContext(request));
      } catch (fault) {
        return openOlder(sealed, fault);
      }
    },
  };

  // Answers that were kept before answers were bound to their request are in the table for a day more.
  function openOlder(sealed: Uint8Array, fault: unknown): Buffer {
    try {
      return openWithoutContext(keys, sealed);
    } catch (olderFault) {
      throw new AggregateError([fault, olderFault], "a stored answer cannot be decrypted");
    }
  }
}
