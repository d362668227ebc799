// What counts as an image is decided by its bytes, whatever the server that sent it says: only formats that cannot hold
// a script are shown, so an SVG is none. A small file may unfold to more pixels than a phone has memory for.
import { createHash } from "node:crypto";
import { imageSize } from "image-size";

export const LOGO_BYTES_MAX = 100 * 1024;
const PIXELS_MAX = 4_000_000;

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
};

export interface Image {
  type: string;
  content: Buffer;
  /** SHA-256. */
  digest: Buffer;
}

export function readImage(content: Buffer): Image | undefined {
  if (content.length > LOGO_BYTES_MAX) return undefined;
  const type = readType(content);
  if (type === undefined) return undefined;
  return { type, content, digest: createHash("sha256").update(content).digest() };
}

function readType(content: Buffer): string | undefined {
  try {
    const { type = "", width, height } = imageSize(content);
    return width * height <= PIXELS_MAX ? TYPES[type] : undefined;
  } catch {
    // The library throws for what it does not know.
    return undefined;
  }
}
