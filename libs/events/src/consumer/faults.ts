import { sqlStateOf } from "@pay/database";
import { Failure, isRetryable } from "@pay/failures";

const ERROR_CHARS_MAX = 500;

// A missing table or column: the migration has not run yet, which is not the event's fault.
const TRANSIENT_STATES: ReadonlySet<string> = new Set(["42P01", "42703"]);

/** Whether the fault is the infrastructure's, so that the same event may succeed later. */
export function isTransient(error: unknown): boolean {
  return (
    (error instanceof Failure && error.errorCode !== "internal" && isRetryable(error.errorCode)) ||
    TRANSIENT_STATES.has(sqlStateOf(error) ?? "")
  );
}

/** What a text column can store: no zero bytes, and a bounded length. */
export function textOf(error: unknown): string {
  return String(error).replaceAll("\0", "").slice(0, ERROR_CHARS_MAX);
}
