import { getSqlState, isFaultOfData } from "@pay/database";
import { Failure, isRetryable } from "@pay/failures";

const ERROR_CHARS_MAX = 500;

/** The code that a trigger raises when it rejects a row. */
const RAISED = "P0001";

/**
 * Whether the fault is the infrastructure's, so that the same event may succeed later. What the database answers is the
 * event's fault only where it says so of what it was given: a missing right, table, column or function waits for the
 * operator, and a fault inside the server for its end.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof Failure && error.errorCode !== "internal" && isRetryable(error.errorCode)) {
    return true;
  }
  const state = getSqlState(error);
  return state !== undefined && state !== RAISED && !isFaultOfData(error);
}

/** Text that a column can store: no zero bytes, and a bounded length. */
export function toText(error: unknown): string {
  return String(error).replaceAll("\0", "").slice(0, ERROR_CHARS_MAX);
}
