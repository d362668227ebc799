// What the operator's commands have in common. They work beside a running product: what they need to find the inner
// parts comes from the environment, or from the file of the local product.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import {
  CommandFault,
  createLifecycle,
  createLog,
  type Identity,
  type Lifecycle,
} from "@pay/process";
import { type Pepper, parsePeppers } from "../keys/pepper.ts";

export type Env = Record<string, string | undefined>;
export type Output = { out(text: string): void; err(text: string): void };

/** The exit code of a command whose result is shown as lines or as JSON. */
export async function runCommand(
  { name, output, failed }: { name: string; output: Output; failed: string },
  act: () => Promise<{ result: Record<string, unknown>; json: boolean }>,
): Promise<number> {
  try {
    const { result, json } = await act();
    output.out(json ? `${JSON.stringify(result)}\n` : asLines(result));
    return 0;
  } catch (error) {
    output.err(`${name}: ${toLine(error, failed)}\n`);
    return 1;
  }
}

/** The options of a command line; another one than these is a fault. */
export function readOptions<Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  usage: string,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options }>>["values"] {
  try {
    return parseArgs({ args, options }).values;
  } catch {
    throw new CommandFault(usage);
  }
}

export async function withLife<T>(
  identity: Identity | undefined,
  act: (life: Lifecycle) => Promise<T>,
): Promise<T> {
  const log = createLog("operator", "silent");
  const life = createLifecycle({ service: "operator", log, ...(identity && { identity }) });
  try {
    return await act(life);
  } finally {
    await life.stop();
  }
}

/** A value that is unknown here, such as the chain of another installation, gets no line. */
function asLines(result: Record<string, unknown>): string {
  return Object.entries(result)
    .flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(15)} ${value}\n`))
    .join("");
}

function toLine(error: unknown, failed: string): string {
  if (error instanceof CommandFault) return error.message;
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return `${failed} (${message}${cause?.message ? `: ${cause.message}` : ""}); is the product running?`;
}

/** The pepper that new keys are digested under. */
export function currentPepper(text: string): Pepper {
  const peppers = parsePeppers(text);
  if (peppers !== undefined) return peppers[0];
  throw new CommandFault(
    "GATEWAY_KEY_PEPPER must be a list of version:secret, each secret 32 characters or more",
  );
}
