// What counts as an image is decided by its first bytes, whatever the server that sent it says: only formats that
// cannot hold a script are shown, so an SVG is none.
import { createHash } from "node:crypto";

export const LOGO_BYTES_MAX = 100 * 1024;

const KINDS: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": (bytes) => bytes.subarray(0, 8).toString("hex") === "89504e470d0a1a0a",
  "image/jpeg": (bytes) => bytes.subarray(0, 3).toString("hex") === "ffd8ff",
  "image/webp": (bytes) =>
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
};

export interface Image {
  type: string;
  content: Buffer;
  /** SHA-256. */
  digest: Buffer;
}

export function readImage(content: Buffer): Image | undefined {
  if (content.length > LOGO_BYTES_MAX) return undefined;
  const type = Object.keys(KINDS).find((kind) => KINDS[kind]?.(content));
  if (type === undefined) return undefined;
  return { type, content, digest: createHash("sha256").update(content).digest() };
}
