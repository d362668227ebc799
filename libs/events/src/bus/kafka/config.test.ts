import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readConfig } from "@pay/process";
import { z } from "zod";
import { kafkaConfig, kafkaSettings } from "./config.ts";

function read(env: Record<string, string>) {
  return kafkaSettings(readConfig(z.object(kafkaConfig), { KAFKA_BROKERS: "one:9092", ...env }));
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pay-pem-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("only the brokers need to be named", () => {
  expect(read({})).toEqual({
    brokers: ["one:9092"],
    topicPrefix: "",
    topicCreate: true,
    topicPartitions: 12,
    topicReplication: 0,
    topicState: false,
  });
  expect(read({ KAFKA_BROKERS: "one:9092, two:9092," }).brokers).toEqual(["one:9092", "two:9092"]);
  expect(() => read({ KAFKA_BROKERS: " , " })).toThrow("KAFKA_BROKERS names no broker");
  expect(() => read({ KAFKA_BROKERS: "" })).toThrow("KAFKA_BROKERS is required");
});

test("a prefix no topic can have is refused", () => {
  expect(read({ KAFKA_TOPICS: '{"prefix": "eu-1."}' }).topicPrefix).toBe("eu-1.");
  expect(() => read({ KAFKA_TOPICS: '{"prefix": "a b"}' })).toThrow("; wrong: prefix");
});

test("a login needs its name and its password", () => {
  const login = { KAFKA_SASL_USERNAME: "pay", KAFKA_SASL_PASSWORD: "hidden" };
  expect(read({ KAFKA_SASL_MECHANISM: "scram-sha-512", ...login }).sasl).toEqual({
    mechanism: "scram-sha-512",
    username: "pay",
    password: "hidden",
  });
  const half = { KAFKA_SASL_MECHANISM: "plain", KAFKA_SASL_PASSWORD: "hidden" };
  expect(() => read(half)).toThrow("KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME");
  expect(() => read(half)).not.toThrow("hidden");
  expect(() => read({ KAFKA_SASL_MECHANISM: "gssapi" })).toThrow("must be one of plain, scram");
});

test("TLS is used where it is set, with certificates read from files", () => {
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, "whom to trust");
  expect(read({}).ssl).toBeUndefined();
  expect(read({ KAFKA_SSL: "{}" }).ssl).toEqual({});
  expect(read({ KAFKA_SSL: JSON.stringify({ caFile }) }).ssl).toEqual({ ca: "whom to trust" });
  const missing = JSON.stringify({ keyFile: join(folder, "none") });
  expect(() => read({ KAFKA_SSL: missing })).toThrow(
    "KAFKA_SSL: keyFile names a file that cannot be read (ENOENT)",
  );
  for (const text of ["1", "0", '{"ca": "x"}']) {
    expect(() => read({ KAFKA_SSL: text })).toThrow("KAFKA_SSL must be JSON like {}");
  }
});

test("a password is not sent as it is over plaintext, unless that was said by name", () => {
  const plain = {
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: "pay",
    KAFKA_SASL_PASSWORD: "hidden",
  };
  expect(() => read(plain)).toThrow("KAFKA_SASL_MECHANISM plain sends the password as it is");
  expect(() => read(plain)).not.toThrow("hidden");
  expect(read({ ...plain, KAFKA_SSL: "{}" }).sasl).toMatchObject({ mechanism: "plain" });
  expect(read({ ...plain, KAFKA_INSECURE: "1" }).sasl).toMatchObject({ mechanism: "plain" });
});
