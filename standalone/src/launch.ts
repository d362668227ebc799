// The parts that both local forms share: one folder, one order of starting and stopping, one way to report faults.
import {
  ConfigError,
  createLifecycle,
  createLog,
  disablePretenuring,
  type Lifecycle,
} from "@pay/process";
import { type DataFolder, openDataFolder, StartFault } from "./data-folder.ts";
import type { Environment } from "./parts.ts";

const STOP_TIMEOUT_MS = 30_000;

export interface Launch {
  folder: DataFolder;
  life: Lifecycle;
  given: Environment;
  say(line: string): void;
}

/** Runs a product until a signal ends it. */
export async function launch(
  name: string,
  given: Environment,
  start: (launch: Launch) => Promise<string>,
): Promise<void> {
  function say(line: string) {
    return void process.stdout.write(`${line}\n`);
  }

  disablePretenuring();
  const life = createLifecycle({
    service: name,
    log: createLog(name, given.LOG_LEVEL || "warn"),
    stopTimeoutMs: STOP_TIMEOUT_MS,
    onFatal: () => void end(1),
  });
  let ending = false;
  let wasReady = false;
  async function end(code: number) {
    if (ending) return;
    ending = true;
    const clean = await life.stop();
    if (wasReady) say(clean ? "stopped" : "stopped, but not every part in order");
    process.exit(clean ? code : 1);
  }

  // npm and the terminal may both pass on the same Ctrl-C, so later signals are received without effect.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => void end(0));
  try {
    const folder = openDataFolder(given.DATA_DIR || ".data");
    life.onStop("data folder", () => folder.release());
    const baseUrl = await start({ folder, life, given, say });
    say(`ready ${baseUrl}`);
    wasReady = true;
  } catch (error) {
    if (ending) return;
    if (isPlain(error)) process.stderr.write(`${name}: ${error.message}\n`);
    else life.log.fatal({ err: error }, "the start failed");
    await end(1);
  }
}

/** Faults whose message is sufficient; all others are shown with their stack. */
function isPlain(error: unknown): error is Error {
  return (
    error instanceof StartFault ||
    error instanceof ConfigError ||
    (error instanceof Error && error.constructor === Error)
  );
}
