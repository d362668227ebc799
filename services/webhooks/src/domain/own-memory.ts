/**
 * A copy in memory of its own. Node cuts small buffers out of blocks that many of them share, and a block stays in memory for
 * as long as one of its buffers does: without a copy, what waits would hold many times its own size.
 */
export function inOwnMemory(bytes: Uint8Array): Buffer {
  if (bytes.length === 0) return NOTHING;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

const NOTHING = Buffer.alloc(0);
