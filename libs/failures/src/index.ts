export {
  asFailure,
  Failure,
  fromItemFailure,
  grpcStatusOf,
  isFailureOf,
  isFault,
  isRequestFault,
  isRetryable,
  kindOf,
  knownCode,
  type RestError,
  toItemFailure,
  toRestError,
} from "./failure.ts";
export { FAILURES, type FailureCode, genericCode } from "./table.ts";
