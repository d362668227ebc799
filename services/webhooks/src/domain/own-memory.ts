/**
 * The bytes in memory of their own, copied where they are not. Node cuts small buffers out of blocks that many of them
 * share, and a block stays in memory for as long as one of its buffers does: without a copy, what waits would hold many
 * times its own size.
 */
export function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.length === 0) return NOTHING;
  // Node gives large buffers memory of their own.
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

const NOTHING = Buffer.alloc(0);
