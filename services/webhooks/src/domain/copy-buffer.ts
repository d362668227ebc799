/**
 * Copies bytes that share their memory. Node allocates small buffers from shared pools, and a pool stays in memory as
 * long as one of its buffers does.
 */
export function copyBuffer(bytes: Buffer): Buffer {
  if (bytes.length === 0) return EMPTY;
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

const EMPTY = Buffer.alloc(0);
