// What both local forms share: one folder, one order of starting and stopping, one way to say what went wrong.
import { ConfigError, createLife, createLog, keepRequestsYoung, type Life } from "@pay/process";
import { type DataFolder, openDataFolder, StartFault } from "./data-folder.ts";
import type { Environment } from "./parts.ts";

const STOP_TIMEOUT_MS = 30_000;

export interface Launch {
  folder: DataFolder;
  life: Life;
  given: Environment;
  say(line: string): void;
}

/** Runs a product until a signal ends it. */
export const launch = async (
  name: string,
  given: Environment,
  start: (launch: Launch) => Promise<string>,
): Promise<void> => {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  keepRequestsYoung();
  const life = createLife({
    service: name,
    log: createLog(name, given.LOG_LEVEL || "warn"),
    stopTimeoutMs: STOP_TIMEOUT_MS,
    onFatal: () => void end(1),
  });
  let ending = false;
  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    const clean = await life.stop();
    process.exit(clean ? code : 1);
  };
  // npm and the terminal may both pass on the same Ctrl-C, so later ones are heard and change nothing.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => void end(0));
  try {
    const folder = openDataFolder(given.DATA_DIR || ".data");
    life.onStop("data folder", () => folder.release());
    const baseUrl = await start({ folder, life, given, say });
    say(`ready ${baseUrl}`);
  } catch (error) {
    if (ending) return;
    if (isPlain(error)) process.stderr.write(`${name}: ${error.message}\n`);
    else life.log.fatal({ err: error }, "the start failed");
    await end(1);
  }
};

/** Faults whose message is the whole story; anything else is shown with its stack. */
const isPlain = (error: unknown): error is Error =>
  error instanceof StartFault ||
  error instanceof ConfigError ||
  (error instanceof Error && error.constructor === Error);
