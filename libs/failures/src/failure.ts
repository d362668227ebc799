// A failure's message is public by definition; what is not public goes into its cause, which only the log sees.
// Everything that is not a Failure travels as "internal".
import { STATUS_CODES } from "node:http";
import {
  FAILURES,
  type FailureCode,
  type FailureKind,
  findGenericCode,
  isFailureCode,
} from "./table.ts";

/** A refusal: operations throw it, or return it for one item of a list; a domain function returns it. */
export class Failure extends Error {
  /** Not called `code`: Prisma replaces an error that has one by an error of its own. */
  readonly errorCode: FailureCode;
  /** True when this is the stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  constructor(
    code: FailureCode,
    message: string,
    { replayed = false, ...options }: { cause?: unknown; replayed?: boolean } = {},
  ) {
    super(message, options);
    this.name = "Failure";
    this.errorCode = code;
    this.replayed = replayed;
  }
}

const INTERNAL_MESSAGE = "Internal server error";

export function asFailure(error: unknown): Failure {
  return error instanceof Failure
    ? error
    : new Failure("internal", INTERNAL_MESSAGE, { cause: error });
}

/** Whether the same request may succeed a second later. */
export function isRetryable(code: FailureCode): boolean {
  return FAILURES[code].retryable;
}

/** Whether the product is at fault, and not the request: its log must then name the cause. */
export function isFault(code: FailureCode): boolean {
  return FAILURES[code].http >= FAILURES.internal.http;
}

export function toGrpcStatus(code: FailureCode): number {
  return FAILURES[code].grpc;
}

export function getKind(code: FailureCode): FailureKind {
  return FAILURES[code].kind;
}

/** Whether the error is a failure of this class. */
export function isFailureKind(kind: FailureKind, error: unknown): error is Failure {
  return error instanceof Failure && getKind(error.errorCode) === kind;
}

/** A failure as it is sent and stored. The kind is for a reader of an older release, which may not know the code. */
export interface WrittenFailure {
  kind: string;
  code: string;
  message: string;
}

/** One refused item of a list whose other items succeeded, or a refusal that is kept as an answer. */
export function toItemFailure(error: unknown): WrittenFailure {
  const { errorCode: code, message } = asFailure(error);
  return { kind: getKind(code), code, message };
}

export function fromItemFailure(written: WrittenFailure, replayed = false): Failure {
  const code = knownCode(written);
  return code === undefined ? asFailure(written) : new Failure(code, written.message, { replayed });
}

/** The code, or the generic one of its kind where a newer release has sent a code that is unknown here. */
export function knownCode({
  code,
  kind,
}: {
  code?: string | undefined;
  kind?: string | undefined;
}): FailureCode | undefined {
  return isFailureCode(code) ? code : findGenericCode(kind);
}

export interface RestError {
  statusCode: number;
  message: string;
  error: string;
}

/** The body every REST error has. */
export function toRestError(error: unknown): RestError {
  const { errorCode: code, message } = asFailure(error);
  const statusCode = FAILURES[code].http;
  return { statusCode, message, error: STATUS_CODES[statusCode] ?? "Error" };
}

/** Whether an HTTP status means that the request is at fault; for libraries that report statuses. */
export function isRequestFault(statusCode: number): boolean {
  return statusCode >= FAILURES.invalid_argument.http && statusCode < FAILURES.internal.http;
}
