import { expect, test } from "@jest/globals";
import { createLog, describeCause } from "./log.ts";

function toLine(error: unknown): string {
  const lines: string[] = [];
  createLog("shop", "info", { write: (line) => lines.push(line) }).error({ err: error }, "failed");
  return lines.join("");
}

test("an error's extra fields and addresses never reach a line", () => {
  const cause = new Error("connect postgres://user:s3cret@db:5432/x refused");
  const error = Object.assign(new Error("GET https://node.example/v3/k3y failed", { cause }), {
    code: "ECONNREFUSED",
    request: { authorization: "t0ken" },
  });
  const line = toLine(error);
  for (const secret of ["s3cret", "k3y", "t0ken"]) expect(line).not.toContain(secret);
  expect(JSON.parse(line)).toMatchObject({
    level: "error",
    service: "shop",
    err: { type: "Error", code: "ECONNREFUSED", message: "GET [address] failed" },
  });
});

test("what is thrown need not be an error", () => {
  expect(JSON.parse(toLine("plain"))).toMatchObject({ err: { type: "string", message: "plain" } });
});

test("the cause of a failure is one line without addresses", () => {
  const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const query = new Error("\nInvalid query in\n  from a where k = 's3cret'\nColumn k is missing.", {
    cause: refused,
  });
  const call = new Error("GET https://node.example/v3/k3y failed", { cause: query });
  expect(describeCause(new Error("The service is not available", { cause: call }))).toBe(
    "GET [address] failed: Column k is missing.: ECONNREFUSED",
  );
});

test("a failure without a cause gives its own text, and a long or circular chain ends", () => {
  expect(describeCause(new Error("full"))).toBe("full");
  const circular = new Error("x".repeat(1_000));
  circular.cause = circular;
  expect(describeCause(circular).length).toBeLessThan(1_300);
});
