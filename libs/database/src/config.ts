import { variable } from "@pay/process";
import { z } from "zod";
import { isKnownPooler } from "./address.ts";

function isPostgresUrl(text: string): boolean {
  try {
    return ["postgres:", "postgresql:"].includes(new URL(text).protocol);
  } catch {
    return false;
  }
}

const url = z
  .string()
  .refine(isPostgresUrl, {
    message: "must look like postgres://user:password@host:port/database",
    abort: true,
  })
  .refine(isKnownPooler, "must say pooler=transaction or nothing about a pooler");
const poolMax = variable.count(10, 500).refine((max) => max > 0, "must be at least 1");

/**
 * The driver reads them where the address has none. They are declared so that a missing one is reported at the start.
 */
const ofTheDriver = {
  PGUSER: z.string().optional(),
  PGPASSWORD: z.string().optional(),
};

type DatabaseShape<P extends string> = Record<`${P}_DATABASE_URL`, typeof url> &
  Record<`${P}_DATABASE_POOL_MAX`, typeof poolMax> &
  typeof ofTheDriver;

/** The variables of one service's database, to be spread into its configuration schema. */
export function databaseConfig<P extends string>(prefix: P): DatabaseShape<P> {
  return {
    [`${prefix}_DATABASE_URL`]: url,
    [`${prefix}_DATABASE_POOL_MAX`]: poolMax,
    ...ofTheDriver,
  } as DatabaseShape<P>;
}
