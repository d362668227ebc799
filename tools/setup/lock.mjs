import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, readIfThere } from "./files.mjs";
import { SetupError, say } from "./run.mjs";

const LOCK = join(ROOT, ".data", "setup.lock");
const LOCK_TIMEOUT_MS = 15 * 60_000;

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

/** Two first runs at once, one per terminal, must not install over each other: the second waits for the first. */
export async function withLock(act) {
  mkdirSync(dirname(LOCK), { recursive: true });
  const deadlineMs = Date.now() + LOCK_TIMEOUT_MS;
  let reported = false;
  while (!tryLock()) {
    const holder = Number(readIfThere(LOCK));
    const crashed = Number.isInteger(holder) && holder > 0 && !isAlive(holder);
    const abandoned = !holder && existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > 5_000;
    if (crashed || abandoned) rmSync(LOCK, { force: true });
    else if (Date.now() > deadlineMs)
      throw new SetupError(`process ${holder} holds ${LOCK} for too long; delete it`);
    else {
      if (!reported) say(`another set-up is running (process ${holder}); waiting for it`);
      reported = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  function release() {
    return rmSync(LOCK, { force: true });
  }

  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  await act();
}
