export {
  asFailure,
  Failure,
  fromItemFailure,
  getKind,
  isFailureKind,
  isFault,
  isRequestFault,
  isRetryable,
  knownCode,
  type RestError,
  toGrpcStatus,
  toItemFailure,
  toRestError,
} from "./failure.ts";
export { FAILURES, type FailureCode } from "./table.ts";
