// Webhook secrets at rest. They must be readable again (they sign every attempt), so they are encrypted, not hashed.
// A sealed secret is: key version (1 byte), nonce (12), ciphertext, tag (16); the endpoint it belongs to is
// authenticated with it, so that a row copied to another endpoint does not open.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys by version, 1 to 255. The highest seals; the others open what was sealed before. */
export type SealingKeys = ReadonlyMap<number, Buffer>;

/** Reads `version:base64 of 32 bytes`, several of them separated by commas; undefined when it is not that. */
export const parseSealingKeys = (text: string): SealingKeys | undefined => {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(",")) {
    const [, version, encoded] = /^(\d{1,3}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()) ?? [];
    if (version === undefined || encoded === undefined) return undefined;
    const number = Number(version);
    if (number < 1 || number > 255 || keys.has(number)) return undefined;
    keys.set(number, Buffer.from(encoded, "base64"));
  }
  return keys;
};

export const seal = (keys: SealingKeys, endpointId: string, secret: string): Buffer => {
  const version = Math.max(...keys.keys());
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(keys, version), nonce);
  cipher.setAAD(Buffer.from(endpointId));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from([version]), nonce, sealed, cipher.getAuthTag()]);
};

/** Throws when the key is gone, or the bytes are not what was sealed for this endpoint. */
export const open = (keys: SealingKeys, endpointId: string, sealed: Uint8Array): string => {
  const bytes = Buffer.from(sealed);
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(keys, bytes.readUInt8(0)), nonce);
  decipher.setAAD(Buffer.from(endpointId));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const content = bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES);
  return Buffer.concat([decipher.update(content), decipher.final()]).toString("utf8");
};

const keyOf = (keys: SealingKeys, version: number): Buffer => {
  const key = keys.get(version);
  if (key === undefined) throw new Error(`no key of version ${version} for webhook secrets`);
  return key;
};
