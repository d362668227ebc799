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
    recordBytesMax: 900_000,
  });
  expect(read({ KAFKA_BROKERS: "one:9092, two:9092," }).brokers).toEqual(["one:9092", "two:9092"]);
  expect(() => read({ KAFKA_BROKERS: " , " })).toThrow("KAFKA_BROKERS names no broker");
  expect(() => read({ KAFKA_BROKERS: "" })).toThrow("KAFKA_BROKERS is required");
});

test("a prefix no topic can have is refused", () => {
  expect(read({ KAFKA_TOPIC_PREFIX: "eu-1." }).topicPrefix).toBe("eu-1.");
  expect(() => read({ KAFKA_TOPIC_PREFIX: "a b" })).toThrow("KAFKA_TOPIC_PREFIX is not valid");
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

test("certificates are read from files and need encryption to be on", () => {
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, "whom to trust");
  expect(read({ KAFKA_SSL: "1" }).ssl).toBe(true);
  expect(read({ KAFKA_SSL: "1", KAFKA_SSL_CA_FILE: ca }).ssl).toEqual({ ca: "whom to trust" });
  expect(() => read({ KAFKA_SSL_CA_FILE: ca })).toThrow("KAFKA_SSL must be 1");
  expect(() => read({ KAFKA_SSL: "1", KAFKA_SSL_KEY_FILE: join(folder, "none") })).toThrow(
    "KAFKA_SSL_KEY_FILE names a file that cannot be read (ENOENT)",
  );
});

test("a password is not sent as it is over plaintext, unless that was said by name", () => {
  const plain = {
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: "pay",
    KAFKA_SASL_PASSWORD: "hidden",
  };
  expect(() => read(plain)).toThrow("KAFKA_SASL_MECHANISM plain sends the password as it is");
  expect(() => read(plain)).not.toThrow("hidden");
  expect(read({ ...plain, KAFKA_SSL: "1" }).sasl).toMatchObject({ mechanism: "plain" });
  expect(read({ ...plain, KAFKA_INSECURE: "1" }).sasl).toMatchObject({ mechanism: "plain" });
});
