import { createDecipheriv } from "node:crypto";

export const CIPHER = "aes-256-gcm";
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

interface Encrypted {
  key: Buffer;
  nonce: Uint8Array;
  content: Uint8Array;
  tag: Uint8Array;
  context?: string;
}

/** Throws when anything but this key and this context made these bytes. */
export function decrypt({ key, nonce, content, tag, context }: Encrypted): Buffer {
  // A shorter tag would be accepted as well, and is easier to forge.
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  if (context !== undefined) decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(content), decipher.final()]);
}
