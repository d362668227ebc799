// Content that a database keeps and must not be able to read, encrypted with AES-256-GCM. Sealed content is: key
// version (1 byte), nonce (12), ciphertext, tag (16). Its context is authenticated with it, e.g. the id of the row it
// belongs to, so that content copied to another row does not open.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SealingKey {
  version: number;
  /** 32 bytes. */
  key: Buffer;
}

/** The first key seals, all of them open: every replica must know a key before one of them seals with it. */
export type SealingKeys = readonly [SealingKey, ...SealingKey[]];

export interface Box {
  seal(content: string | Uint8Array, context: string): Buffer;
  /** Throws when the key is gone, or the bytes are not what was sealed for this context. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** Whether the key that seals now sealed it, as far as its mark tells: exact for versions up to 255. */
  isCurrent(sealed: Uint8Array): boolean;
}

export function createBox(keys: SealingKeys): Box {
  const [{ version, key }] = keys;
  return {
    seal: (content, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      cipher.setAAD(Buffer.from(context));
      const hidden = Buffer.concat([cipher.update(Buffer.from(content)), cipher.final()]);
      return Buffer.concat([Buffer.of(mark(version)), nonce, hidden, cipher.getAuthTag()]);
    },
    open: (sealed, context) => openWithAnyKey(keys, sealed, context),
    isCurrent: (sealed) => sealed[0] === mark(version),
  };
}

/** One byte of the version. Versions above 255 may share it, so it only limits which keys are tried. */
function mark(version: number): number {
  return version % 256;
}

function openWithAnyKey(keys: SealingKeys, sealed: Uint8Array, context: string): Buffer {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const content = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
  const tag = sealed.subarray(-TAG_BYTES);
  const faults: unknown[] = [];
  for (const { version, key } of keys) {
    if (mark(version) !== sealed[0]) continue;
    try {
      return decrypt({ key, nonce, content, tag, context });
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length === 0) throw new Error(`no key of version ${sealed[0]} for sealed content`);
  throw new AggregateError(faults, "sealed content was changed, or sealed for another context");
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Encrypted {
  key: Buffer;
  nonce: Uint8Array;
  content: Uint8Array;
  tag: Uint8Array;
  context?: string;
}

/** Throws when anything but this key and this context made these bytes. */
function decrypt({ key, nonce, content, tag, context }: Encrypted): Buffer {
  // A shorter tag would be accepted as well, and is easier to forge.
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  if (context !== undefined) decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(content), decipher.final()]);
}

/**
 * Opens the older form of sealed content, which is no longer written: nonce (12), tag (16), ciphertext. It has neither
 * a version, so every key is tried, nor a context. Throws when the content was changed or sealed under another key.
 */
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

/**
 * Reads `version:base64 of 32 bytes`, versions from 1 to 255, several of them separated by commas; undefined when it is
 * not that.
 */
export function parseSealingKeys(text: string): SealingKeys | undefined {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(",")) {
    const [, version, encoded] = /^(\d{1,3}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()) ?? [];
    if (version === undefined || encoded === undefined) return undefined;
    const number = Number(version);
    if (number < 1 || number > 255 || keys.has(number)) return undefined;
    keys.set(number, Buffer.from(encoded, "base64"));
  }
  const [current, ...others]: SealingKey[] = [...keys].map(([version, key]) => ({ version, key }));
  return current && [current, ...others];
}
