import { Failure } from "@pay/failures";

// The cause of an error, read from the two shapes an error has here: pg's own, and Prisma's around it. Conditions of
// the moment (no connection, no answer in time, a lost race) become the Failure "service_unavailable"; faults of the
// statement stay as they are, because storage code tells them apart by the name of a constraint.
const UNAVAILABLE_MESSAGE = "The service is temporarily unavailable";

// SQLSTATE classes and codes after which the same statement may succeed a moment later.
const PASSING_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"]);
const PASSING_CODES: ReadonlySet<string> = new Set([
  "25006", // read only: the connection still leads to a former primary
  "25P03", // idle in transaction for too long
  "25P04", // transaction_timeout
  "28000", // refused, for instance while credentials are being changed
  "28P01",
  "3D000", // no such database yet
  "55P03", // lock_timeout
]);
const CONFLICT_CODES: ReadonlySet<string> = new Set(["40001", "40P01"]);

interface ErrorShape {
  code?: unknown;
  severity?: unknown;
  constraint?: unknown;
  originalCode?: unknown;
  routine?: unknown;
  originalMessage?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: unknown };
}

/** The error and its causes, outermost first; Prisma keeps the driver's error beside the cause. */
function listCauses(error: unknown, depth = 0): ErrorShape[] {
  if (typeof error !== "object" || error === null || depth > 5) return [];
  const shape = error as ErrorShape;
  return [
    shape,
    ...listCauses(shape.meta?.driverAdapterError, depth + 1),
    ...listCauses(shape.cause, depth + 1),
  ];
}

// pg puts socket errors ("ECONNRESET") and SQLSTATEs into one field; only the server's errors have a severity.
function ownState({ code, severity, originalCode }: ErrorShape): string | undefined {
  if (typeof originalCode === "string") return originalCode;
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}

/** The SQLSTATE the server answered, wherever it is wrapped. */
export function getSqlState(error: unknown): string | undefined {
  return listCauses(error).map(ownState).find(Boolean);
}

/**
 * SQLSTATE classes 21 (a row named twice), 22 (data) and 23 (constraints), and a value too long for an index: what the
 * statement was given, not what it runs on.
 */
export function isFaultOfData(error: unknown): boolean {
  return /^(?:2[123]|54000$)/.test(getSqlState(error) ?? "") && !isMissingPartition(error);
}

/** A table without a partition for the row's time: the job that creates them has stood still for long. */
function isMissingPartition(error: unknown): boolean {
  return listCauses(error).some(
    ({ code, routine }) => code === "23514" && routine === "ExecFindPartition",
  );
}

/** Nothing was done and the cause is gone: a lost race against another transaction, or an outdated plan. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has(getSqlState(error) ?? "") || isOutdatedPlan(error);
}

/**
 * A migration changed what a prepared statement answers. The server refuses it from then on, on every connection
 * that has prepared it; a new connection prepares it anew.
 */
export function isOutdatedPlan(error: unknown): boolean {
  return listCauses(error).some(
    ({ code, routine }) => code === "0A000" && routine === "RevalidateCachedQuery",
  );
}

/** The failure of a connection that could not be had. */
export function connectFailure(error: unknown): Failure {
  return error instanceof Failure
    ? error
    : new Failure("service_unavailable", UNAVAILABLE_MESSAGE, { cause: error });
}

/** A connection after this error is in an unknown state and must not be used again. */
export function breaksConnection(error: unknown): boolean {
  const { severity, code } = error as ErrorShape;
  return severity !== "ERROR" || code === "25006" || isOutdatedPlan(error);
}

const PLAIN: ReadonlySet<string> = new Set(["Error", "AggregateError"]);

/** Turns a query's error of the moment into a Failure; every other error is handed back unchanged. */
export function queryFailure(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const state = ownState(error as ErrorShape);
  if (state === undefined) {
    // Without a SQLSTATE it never reached an answer: socket errors, pg's timeouts and its closed clients are all
    // plain errors. Values that cannot be sent are errors of a kind of their own (TypeError, RangeError).
    return PLAIN.has((error as Error).name) ? connectFailure(error) : error;
  }
  const passing =
    PASSING_CLASSES.has(state.slice(0, 2)) ||
    PASSING_CODES.has(state) ||
    isConflict(error) ||
    isMissingPartition(error);
  return passing ? connectFailure(error) : error;
}

/** The name of the violated constraint, from an error of pg or of Prisma. */
export function getConstraint(error: unknown): string | undefined {
  return listCauses(error).map(ownConstraint).find(Boolean);
}

function ownConstraint({ constraint, originalMessage }: ErrorShape): string | undefined {
  if (typeof constraint === "string") return constraint;
  const index = (constraint as { index?: unknown } | undefined)?.index;
  if (typeof index === "string") return index;
  // Prisma's adapter drops the name of a violated check; the server's own sentence still has it in quotes.
  return typeof originalMessage === "string"
    ? /constraint "([^"]+)"/.exec(originalMessage)?.[1]
    : undefined;
}
