// The bytes in the column `response`: the first one is the kind of the answer, the rest is its content.
import { Failure, fromItemFailure, getKind, isRetryable, toItemFailure } from "@pay/failures";

const ANSWER = 0;
const FAILURE = 1;

/**
 * An answer as it is stored. Its content is not re-encoded, so a prefix of the content is a prefix of the stored bytes.
 */
export function encodeAnswer(response: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(ANSWER), response]);
}

/** A refusal as it is stored. */
export function encodeFailure(failure: Failure): Buffer {
  const text = JSON.stringify(toItemFailure(failure));
  return Buffer.concat([Buffer.of(FAILURE), Buffer.from(text)]);
}

/** The answer. A stored refusal is thrown, marked as a replay or not. */
export function decodeAnswer(stored: Uint8Array, replayed: boolean): Uint8Array {
  const content = stored.subarray(1);
  if (stored[0] === ANSWER) return content;
  throw fromItemFailure(JSON.parse(Buffer.from(content).toString()), replayed);
}

/**
 * A refusal that would be the same tomorrow is kept like an answer. A fault of the moment is not, and neither is a
 * refusal to this caller, because another key or a confirmed member may repeat the request.
 */
export function isLasting(error: unknown): error is Failure {
  return (
    error instanceof Failure &&
    !isRetryable(error.errorCode) &&
    getKind(error.errorCode) !== "permission_denied"
  );
}
