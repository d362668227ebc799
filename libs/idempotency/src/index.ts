export { forwardOnce } from "./forwarded-call.ts";
export {
  type IdempotentRequest,
  idempotencyScope,
  idempotentRequest,
  sameRequest,
  stillRunning,
} from "./key.ts";
export { writeOnce } from "./own-write.ts";
export { findAnswer, type IdempotentAnswer } from "./replay.ts";
export { encodeAnswer, encodeFailure } from "./stored-answer.ts";
