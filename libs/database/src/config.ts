import { variable } from "@pay/process";
import { z } from "zod";

const isPostgresUrl = (text: string): boolean => {
  try {
    return ["postgres:", "postgresql:"].includes(new URL(text).protocol);
  } catch {
    return false;
  }
};

const url = z
  .string()
  .refine(isPostgresUrl, "must look like postgres://user:password@host:port/database");
const poolMax = variable.count(10, 500).refine((max) => max > 0, "must be at least 1");

type DatabaseShape<P extends string> = Record<`${P}_DATABASE_URL`, typeof url> &
  Record<`${P}_DATABASE_POOL_MAX`, typeof poolMax>;

/** The two variables of one service's database, to be spread into its configuration schema. */
export const databaseConfig = <P extends string>(prefix: P): DatabaseShape<P> =>
  ({
    [`${prefix}_DATABASE_URL`]: url,
    [`${prefix}_DATABASE_POOL_MAX`]: poolMax,
  }) as DatabaseShape<P>;
