import { expect } from "@jest/globals";
import type { FailureCode } from "@pay/failures";

export function refused(code: FailureCode, message?: string) {
  return expect.objectContaining(message ? { errorCode: code, message } : { errorCode: code });
}
