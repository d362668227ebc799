// The older form of sealed content, which is read and no longer written: nonce (12), tag (16), ciphertext. It has
// neither a version, so every key is tried, nor a context.
import type { SealingKeys } from "./box.ts";
import { decrypt, NONCE_BYTES, TAG_BYTES } from "./cipher.ts";

/** Throws when the content was changed or sealed under another key. */
export function openWithoutContext(keys: SealingKeys, sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const content = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  const faults: unknown[] = [];
  for (const { key } of keys) {
    try {
      return decrypt({ key, nonce, content, tag });
    } catch (error) {
      faults.push(error);
    }
  }
  throw new AggregateError(faults, "sealed content was changed, or sealed under another key");
}
