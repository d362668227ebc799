// The one table of failures. A failure's message is public by definition; what is not public goes into its
// cause, which only the log sees. Everything that is not a Failure travels as "internal".
import { STATUS_CODES } from "node:http";
import { status as grpc, Metadata, type ServiceError } from "@grpc/grpc-js";

const FAILURES = {
  invalid_argument: { grpc: grpc.INVALID_ARGUMENT, http: 400 },
  unauthenticated: { grpc: grpc.UNAUTHENTICATED, http: 401 },
  permission_denied: { grpc: grpc.PERMISSION_DENIED, http: 403 },
  not_found: { grpc: grpc.NOT_FOUND, http: 404 },
  method_not_allowed: { grpc: grpc.UNIMPLEMENTED, http: 405 },
  request_timeout: { grpc: grpc.CANCELLED, http: 408 },
  failed_precondition: { grpc: grpc.FAILED_PRECONDITION, http: 409 },
  already_exists: { grpc: grpc.ALREADY_EXISTS, http: 409 },
  payload_too_large: { grpc: grpc.OUT_OF_RANGE, http: 413 },
  unsupported_media_type: { grpc: grpc.INVALID_ARGUMENT, http: 415 },
  unprocessable: { grpc: grpc.INVALID_ARGUMENT, http: 422 },
  resource_exhausted: { grpc: grpc.RESOURCE_EXHAUSTED, http: 429 },
  headers_too_large: { grpc: grpc.OUT_OF_RANGE, http: 431 },
  internal: { grpc: grpc.INTERNAL, http: 500 },
  unavailable: { grpc: grpc.UNAVAILABLE, http: 503 },
  deadline_exceeded: { grpc: grpc.DEADLINE_EXCEEDED, http: 504 },
} as const;

export type FailureKind = keyof typeof FAILURES;

export class Failure extends Error {
  readonly kind: FailureKind;
  /** True when this is the stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  constructor(
    kind: FailureKind,
    message: string,
    { replayed = false, ...options }: { cause?: unknown; replayed?: boolean } = {},
  ) {
    super(message, options);
    this.name = "Failure";
    this.kind = kind;
    this.replayed = replayed;
  }
}

const INTERNAL_MESSAGE = "Internal server error";
// Several kinds share a gRPC status, so the kind itself travels beside it.
const KIND_KEY = "failure-kind";
const REPLAYED_KEY = "failure-replayed";

const isKind = (text: unknown): text is FailureKind =>
  typeof text === "string" && Object.hasOwn(FAILURES, text);

export const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure("internal", INTERNAL_MESSAGE, { cause: error });

/** Service edge: what the caller gets instead of an answer. */
export const toStatus = (error: unknown): Partial<ServiceError> => {
  const { kind, message, replayed } = asFailure(error);
  const metadata = new Metadata();
  metadata.set(KIND_KEY, kind);
  if (replayed) metadata.set(REPLAYED_KEY, "true");
  return { code: FAILURES[kind].grpc, details: message, metadata };
};

/** Client edge: the same failure again, on the caller's side of the wire. */
export const fromStatus = (error: unknown): Failure => {
  const { code, details, metadata } = error as Partial<ServiceError>;
  const kind = metadata?.get(KIND_KEY)[0]?.toString();
  const replayed = metadata?.get(REPLAYED_KEY)[0] === "true";
  if (isKind(kind)) return new Failure(kind, details ?? "", { cause: error, replayed });
  if (code === grpc.DEADLINE_EXCEEDED) {
    return new Failure("deadline_exceeded", "The request took too long", { cause: error });
  }
  if (code === grpc.UNAVAILABLE || code === grpc.CANCELLED || code === grpc.RESOURCE_EXHAUSTED) {
    return new Failure("unavailable", "The service is not available", { cause: error });
  }
  return asFailure(error);
};

/** Item edge: one refused item of a list whose other items went well. */
export const toItemFailure = (error: unknown): { kind: string; message: string } => {
  const { kind, message } = asFailure(error);
  return { kind, message };
};

export const fromItemFailure = (failure: { kind: string; message: string }): Failure =>
  isKind(failure.kind) ? new Failure(failure.kind, failure.message) : asFailure(failure);

export interface RestError {
  statusCode: number;
  message: string;
  error: string;
}

/** Gateway edge: the body every REST error has. */
export const toRestError = (error: unknown): RestError => {
  const { kind, message } = asFailure(error);
  const statusCode = FAILURES[kind].http;
  return { statusCode, message, error: STATUS_CODES[statusCode] ?? "Error" };
};

/** The kind an HTTP status stands for, where a library speaks in statuses. */
export const kindOfHttpStatus = (statusCode: number): FailureKind => {
  const found = Object.entries(FAILURES).find(([, { http }]) => http === statusCode);
  if (found !== undefined) return found[0] as FailureKind;
  return statusCode >= FAILURES.internal.http ? "internal" : "invalid_argument";
};
