// The file that the local product writes when it is ready, for commands that work beside it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";

/** A fault that the operator can correct, in one line. */
export class CommandFault extends Error {}

/** Without the file, the fault names the variables to set instead. */
export function readRunFile<T>(
  env: Record<string, string | undefined>,
  schema: z.ZodType<T>,
  variables: string,
): T {
  const path = join(env.DATA_DIR || ".data", "run.json");
  const { success, data } = schema.safeParse(readJson(path, variables));
  if (!success) throw new CommandFault(`${path} is incomplete; restart the product`);
  return data;
}

function readJson(path: string, variables: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new CommandFault(
      `${path} cannot be read; start the product first (npm start), or set ${variables}`,
    );
  }
}
