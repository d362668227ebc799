// Answers with a new key are kept for a day, so that a repeated request gets them again. They are kept encrypted
// under a secret the database does not have: who reads the table learns no key.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Vault {
  seal(content: Uint8Array): Buffer;
  /** Throws when the content was changed or sealed under another secret. */
  open(sealed: Uint8Array): Buffer;
}

export const createVault = (secret: string): Vault => {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "gateway answers v1", 32));
  return {
    seal: (content) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce);
      const hidden = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden]);
    },
    open: (sealed) => {
      const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const hidden = sealed.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(hidden), decipher.final()]);
    },
  };
};
