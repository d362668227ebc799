import { expect, test } from "@jest/globals";
import { readConfig } from "@pay/process";
import { z } from "zod";
import { databaseConfig } from "./config.ts";

const schema = z.object(databaseConfig("SHOP"));
const url = "postgres://shop:s3cret@db:5432/shop";

test("the pool has a size when none is given", () => {
  expect(readConfig(schema, { SHOP_DATABASE_URL: url })).toEqual({
    SHOP_DATABASE_URL: url,
    SHOP_DATABASE_POOL_MAX: 10,
  });
});

test("an address of another kind is refused without being quoted", () => {
  function read() {
    return readConfig(schema, { SHOP_DATABASE_URL: "mysql://s3cret", SHOP_DATABASE_POOL_MAX: "0" });
  }

  expect(read).toThrow(
    "SHOP_DATABASE_URL must look like postgres://user:password@host:port/database",
  );
  expect(read).toThrow("SHOP_DATABASE_POOL_MAX must be at least 1");
  expect(read).not.toThrow(/s3cret/);
});

test("a password that was promised and is missing is reported with the place where it should come from", () => {
  const env = { SHOP_DATABASE_URL: url, PGPASSWORD_FROM: "key password of Secret shop-db" };
  expect(() => readConfig(schema, env)).toThrow(
    "PGPASSWORD is required (look at key password of Secret shop-db)",
  );
});
