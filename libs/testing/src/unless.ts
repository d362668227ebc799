// What a test needs and a machine may not have. Without it the test is skipped with one line that says what is missing;
// under CI, where everything has to be there, it runs and fails.
import { describe, test } from "@jest/globals";

function isSkipped(missing: string | undefined, name: string): boolean {
  if (missing === undefined || process.env.CI === "true") return false;
  process.stderr.write(`skipped "${name}": ${missing}\n`);
  return true;
}

export function describeUnless(missing: string | undefined, name: string, body: () => void): void {
  (isSkipped(missing, name) ? describe.skip : describe)(name, body);
}

export function testUnless(
  missing: string | undefined,
  name: string,
  body: () => void | Promise<void>,
  limitMs?: number,
): void {
  (isSkipped(missing, name) ? test.skip : test)(name, body, limitMs);
}
