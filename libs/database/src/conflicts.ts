import { isConflict, isOutdatedPlan } from "./errors.ts";

const ATTEMPTS_MAX = 5;
const PAUSE_MS = 10;

/**
 * Runs work again that lost against another transaction (serialization, deadlock), because the server has undone it.
 * Every other error is thrown, and so is the conflict of the last attempt.
 */
export async function retryOnConflict<T>(
  work: () => Promise<T>,
  connectionsMax: number,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // Every connection of the pool may hold an outdated plan once; that is no lost race.
      const attemptsMax = isOutdatedPlan(error) ? connectionsMax + ATTEMPTS_MAX : ATTEMPTS_MAX;
      if (attempt >= attemptsMax || !isConflict(error)) throw error;
      if (!isOutdatedPlan(error)) await pause(PAUSE_MS * attempt * (0.5 + Math.random()));
    }
  }
}

function pause(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
