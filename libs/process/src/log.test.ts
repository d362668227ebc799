import { expect, test } from "@jest/globals";
import { createLog } from "./log.ts";

const lineOf = (error: unknown): string => {
  const lines: string[] = [];
  createLog("shop", "info", { write: (line) => lines.push(line) }).error({ err: error }, "failed");
  return lines.join("");
};

test("an error's extra fields and addresses never reach a line", () => {
  const cause = new Error("connect postgres://user:s3cret@db:5432/x refused");
  const error = Object.assign(new Error("GET https://node.example/v3/k3y failed", { cause }), {
    code: "ECONNREFUSED",
    request: { authorization: "t0ken" },
  });
  const line = lineOf(error);
  for (const secret of ["s3cret", "k3y", "t0ken"]) expect(line).not.toContain(secret);
  expect(JSON.parse(line)).toMatchObject({
    level: "error",
    service: "shop",
    err: { type: "Error", code: "ECONNREFUSED", message: "GET [address] failed" },
  });
});

test("what is thrown need not be an error", () => {
  expect(JSON.parse(lineOf("plain"))).toMatchObject({ err: { type: "string", message: "plain" } });
});
