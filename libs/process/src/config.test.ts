import { expect, test } from "@jest/globals";
import { z } from "zod";
import { ConfigError, processConfig, readConfig, variable } from "./config.ts";

const schema = z.object({
  SHOP_DATABASE_URL: z.url(),
  SHOP_PORT: variable.port(8080),
  SHOP_LEVEL: z.enum(["low", "high"]).default("low"),
  SHOP_FLAG: variable.flag(),
});

function listFaults(env: Record<string, string>): readonly string[] {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test("all faults are reported at once, by name and never by value", () => {
  const faults = listFaults({
    SHOP_DATABASE_URL: "s3cret",
    SHOP_PORT: "99999",
    SHOP_LEVEL: "loud",
  });
  expect(faults).toEqual([
    "SHOP_DATABASE_URL is not valid",
    "SHOP_PORT must be at most 65535",
    "SHOP_LEVEL must be one of low, high",
  ]);
});

test("an empty variable counts as absent", () => {
  expect(listFaults({ SHOP_DATABASE_URL: "" })).toEqual(["SHOP_DATABASE_URL is required"]);
});

test("a fault names the place its value should come from, where that is known", () => {
  expect(listFaults({ SHOP_DATABASE_URL_FROM: "key url of Secret shop-db" })).toEqual([
    "SHOP_DATABASE_URL is required (look at key url of Secret shop-db)",
  ]);
});

test("an optional variable is required once its origin is named", () => {
  const env = {
    SHOP_DATABASE_URL: "postgres://localhost/x",
    SHOP_PORT_FROM: "key port of Secret a",
  };
  expect(listFaults(env)).toEqual(["SHOP_PORT is required (look at key port of Secret a)"]);
  expect(listFaults({ ...env, SHOP_PORT: "1" })).toEqual([]);
});

test("defaults apply and foreign variables are left alone", () => {
  expect(readConfig(schema, { SHOP_DATABASE_URL: "postgres://localhost/x", PATH: "/bin" })).toEqual(
    {
      SHOP_DATABASE_URL: "postgres://localhost/x",
      SHOP_PORT: 8080,
      SHOP_LEVEL: "low",
      SHOP_FLAG: false,
    },
  );
});

test("a process listens on loopback unless its configuration names another address, and on addresses only", () => {
  expect(readConfig(processConfig, {}).INTERNAL_HOST).toBe("127.0.0.1");
  expect(readConfig(processConfig, { INTERNAL_HOST: "10.0.0.7" }).INTERNAL_HOST).toBe("10.0.0.7");
  expect(() => readConfig(processConfig, { INTERNAL_HOST: "payments" })).toThrow(
    "INTERNAL_HOST must be an IP address, e.g. 127.0.0.1 or ::",
  );
});
