import { Writable } from "node:stream";
import { expect, test } from "@jest/globals";
import { createLifecycle, createLog } from "@pay/process";
import { isKnownPooler, isPlaintextUnsaid, readAddress } from "./address.ts";
import { openDatabase } from "./connect.ts";

const DIRECT = "postgres://shop:s3%40cret@db:5432/shop?sslmode=verify-full";

test("an address without a pooler reaches the driver as it is", () => {
  expect(readAddress(DIRECT)).toEqual({ url: DIRECT, isPooled: false });
});

test("the driver does not see the word for a pooler", () => {
  expect(readAddress(`${DIRECT}&pooler=transaction`)).toEqual({ url: DIRECT, isPooled: true });
});

test("an unknown pooler is refused", () => {
  expect(isKnownPooler(`${DIRECT}&pooler=transaction`)).toBe(true);
  expect(isKnownPooler(DIRECT)).toBe(true);
  expect(isKnownPooler(`${DIRECT}&pooler=statement`)).toBe(false);
});

test.each([
  ["postgres://shop:p@db.example:5432/shop", true],
  ["postgres://shop:p@10.0.0.7/shop?application_name=x", true],
  ["postgres://shop:p@db.example/shop?sslmode=disable", false],
  ["postgres://shop:p@db.example/shop?sslmode=no-verify", false],
  ["postgres://shop:p@db.example/shop?sslmode=verify-full", false],
  ["postgres://shop:p@db.example/shop?ssl=true", false],
  ["postgres://shop:p@127.0.0.1:5432/shop", false],
  ["postgres://shop:p@localhost/shop", false],
  ["postgres://shop:p@[::1]/shop", false],
  ["postgres://shop:p@/shop?host=/var/run/postgresql", false],
])("%s is plaintext that the address does not ask for: %s", (url, is) => {
  expect(isPlaintextUnsaid(url)).toBe(is);
});

test("a database reached without TLS is reported in one line at the start, without its address", async () => {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const runtime = createLifecycle({ service: "shop", log: createLog("shop", "info", sink) });
  for (const url of ["postgres://shop:s3cret@db.example/shop", "postgres://u:s3cret@[::1]/other"]) {
    openDatabase({ url, poolMax: 1, runtime });
    openDatabase({ url, poolMax: 1, runtime, isFurther: true });
  }
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: "warn",
      database: "shop",
      msg: expect.stringContaining("without TLS"),
    }),
  ]);
  expect(lines.join()).not.toMatch(/s3cret|db\.example/);
  await runtime.stop();
});
