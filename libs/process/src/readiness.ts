const CHECK_TIMEOUT_MS = 2_000;

export interface Readiness {
  ready: boolean;
  /** A line for each check. */
  text: string;
}

type Check = () => Promise<void> | void;

/** All checks at once, each bounded; a process that stops is not ready whatever the checks answer. */
export async function checkReadiness(
  checks: ReadonlyMap<string, Check>,
  stopping: AbortSignal,
): Promise<Readiness> {
  const results = await Promise.all(
    [...checks].map(async ([name, check]) => ({ name, ready: await passes(check) })),
  );
  if (stopping.aborted) results.push({ name: "not stopping", ready: false });
  return {
    ready: results.every(({ ready }) => ready),
    text: results.map(({ name, ready }) => `${ready ? "ok" : "failing"} ${name}\n`).join(""),
  };
}

async function passes(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
