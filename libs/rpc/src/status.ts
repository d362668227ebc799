// Failures on the wire of gRPC, in both directions.

import { status as grpc, Metadata, type ServiceError } from "@grpc/grpc-js";
import { asFailure, Failure, getKind, knownCode, toGrpcStatus } from "@pay/failures";

// Many codes share a gRPC status, so the code itself travels beside it, and its kind for a client of an older release.
const CODE_KEY = "failure-code";
const KIND_KEY = "failure-kind";
const REPLAYED_KEY = "failure-replayed";

/** Service edge: what the caller gets instead of an answer. */
export function toStatus(error: unknown): Partial<ServiceError> {
  const { errorCode: code, message, replayed } = asFailure(error);
  const metadata = new Metadata();
  metadata.set(CODE_KEY, code);
  metadata.set(KIND_KEY, getKind(code));
  if (replayed) metadata.set(REPLAYED_KEY, "true");
  return { code: toGrpcStatus(code), details: message, metadata };
}

// Statuses that gRPC itself returns for a moment. Our services name the code of every failure, so INTERNAL and UNKNOWN
// without one come from a connection that broke; UNIMPLEMENTED comes from a replica of an older release.
const PASSING: ReadonlySet<number> = new Set([
  grpc.UNAVAILABLE,
  grpc.CANCELLED,
  grpc.RESOURCE_EXHAUSTED,
  grpc.UNIMPLEMENTED,
  grpc.INTERNAL,
  grpc.UNKNOWN,
]);

/** Client edge: the same failure again, on the caller's side of the wire. Its cause names the rpc that failed. */
export function fromStatus(error: unknown, path: string): Failure {
  const { code: status, details, metadata } = error as Partial<ServiceError>;
  function read(key: string) {
    return metadata?.get(key)[0]?.toString();
  }

  const cause = new Error(path, { cause: error });
  const code = knownCode({ code: read(CODE_KEY), kind: read(KIND_KEY) });
  if (code !== undefined) {
    const replayed = read(REPLAYED_KEY) === "true";
    return new Failure(code, details ?? "", { cause, replayed });
  }
  if (status === grpc.DEADLINE_EXCEEDED) {
    return new Failure("deadline_exceeded", "The request took too long", { cause });
  }
  if (status !== undefined && PASSING.has(status)) {
    return new Failure("service_unavailable", "The service is not available", { cause });
  }
  return asFailure(cause);
}
