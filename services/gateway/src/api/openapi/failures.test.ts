import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { FAILURES, Failure, type FailureCode, isRetryable, toRestError } from "@pay/failures";
import { ROUTES } from "../table.ts";
import { CAUSES } from "./causes.ts";
import { failures, listCodes } from "./failures.ts";

/** Between services only: the gateway answers 503 in their place. */
const INTERNAL: readonly FailureCode[] = ["caller_unknown", "caller_not_allowed", "call_malformed"];
const CODES = (Object.keys(FAILURES) as FailureCode[]).filter((code) => !INTERNAL.includes(code));
const GUIDE = readFileSync(join(import.meta.dirname, "../../../../../docs/api.md"), "utf8");

function getStatus(code: FailureCode): number {
  return toRestError(new Failure(code, "")).statusCode;
}

test("the guide lists every code with its status, and whether to try again", () => {
  const listed = [...GUIDE.matchAll(/^\| `(\w+)` \| (\d{3}) \| (yes|no) \| .+ \|$/gm)];
  expect(listed.map(([, ...columns]) => columns)).toEqual(
    CODES.map((code) => [code, String(getStatus(code)), isRetryable(code) ? "yes" : "no"]),
  );
});

test("the guide and the examples give the same cause", () => {
  const listed = [...GUIDE.matchAll(/^\| `(\w+)` \| \d{3} \| (?:yes|no) \| (.+) \|$/gm)];
  expect(Object.fromEntries(listed.map(([, code, cause]) => [code, cause]))).toEqual(CAUSES);
});

test.each(ROUTES.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  "$name describes each of its codes below the status that comes with it",
  ({ route }) => {
    const described = Object.entries(failures(route)).flatMap(([status, answer]) => {
      const { headers } = answer as { headers: Record<string, { schema: { examples: string[] } }> };
      return (headers["X-Error-Code"]?.schema.examples ?? []).map((code) => `${code} ${status}`);
    });
    const codes = listCodes(route);
    expect(described.sort()).toEqual(codes.map((code) => `${code} ${getStatus(code)}`).sort());
    for (const code of codes) expect(CODES).toContain(code);
  },
);
