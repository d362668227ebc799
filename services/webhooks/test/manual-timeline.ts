import type { Timeline } from "../src/delivery/retry-timers.ts";

export interface ManualTimeline extends Timeline {
  advanceTo(moment: number): void;
  advanceBy(ms: number): void;
  /** Fires the timers there are without moving time, as an imprecise clock would. */
  wakeEarly(): void;
}

/** Time that stands still until a test moves it. */
export function createManualTimeline(): ManualTimeline {
  let now = 0;
  const waiting = new Set<{ moment: number; wake: () => void }>();

  function fireUpTo(moment: number) {
    for (const entry of [...waiting].sort((a, b) => a.moment - b.moment)) {
      if (entry.moment > moment || !waiting.delete(entry)) continue;
      entry.wake();
    }
  }

  function advanceTo(moment: number) {
    now = Math.max(now, moment);
    fireUpTo(now);
  }

  return {
    now: () => now,
    wakeAt: (moment, wake) => {
      const entry = { moment, wake };
      waiting.add(entry);
      // A test may move time before the service sets its timer.
      if (moment <= now) setImmediate(() => fireUpTo(now));
      return () => waiting.delete(entry);
    },
    advanceTo,
    advanceBy: (ms) => advanceTo(now + ms),
    wakeEarly: () => fireUpTo(Number.POSITIVE_INFINITY),
  };
}
