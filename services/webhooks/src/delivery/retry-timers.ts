// Deliveries that wait for a retry, earliest first, behind one timer. Time is monotonic, so that a change of the wall
// clock neither fires a retry early nor delays it.
import TinyQueue from "tinyqueue";

/** Monotonic time and its timers; tests pass a manual one. */
export interface Timeline {
  now(): number;
  /** Calls back at that moment or a little before; returns a function that cancels it. */
  wakeAt(moment: number, wake: () => void): () => void;
}

export const realTimeline: Timeline = {
  now: () => performance.now(),
  wakeAt: (moment, wake) => {
    const timer = setTimeout(wake, Math.max(0, Math.ceil(moment - performance.now())));
    return () => clearTimeout(timer);
  },
};

export interface RetryTimers<T> {
  add(dueAt: number, item: T): void;
  clear(): void;
  size(): number;
}

interface Entry<T> {
  dueAt: number;
  item: T;
}

export function createRetryTimers<T>(
  timeline: Timeline,
  onDue: (items: T[]) => void,
): RetryTimers<T> {
  function emptyQueue() {
    return new TinyQueue<Entry<T>>([], (a, b) => a.dueAt - b.dueAt);
  }

  let waiting = emptyQueue();
  let armedAt = Number.POSITIVE_INFINITY;
  let disarm = () => {};

  function arm() {
    const first = waiting.peek()?.dueAt ?? Number.POSITIVE_INFINITY;
    if (first === armedAt) return;
    disarm();
    armedAt = first;
    disarm = first === Number.POSITIVE_INFINITY ? () => {} : timeline.wakeAt(first, fire);
  }

  function fire() {
    armedAt = Number.POSITIVE_INFINITY;
    const due: T[] = [];
    const now = timeline.now();
    for (let first = waiting.peek(); first && first.dueAt <= now; first = waiting.peek()) {
      due.push(first.item);
      waiting.pop();
    }
    arm();
    if (due.length > 0) onDue(due);
  }

  return {
    add: (dueAt, item) => {
      waiting.push({ dueAt, item });
      arm();
    },
    clear: () => {
      waiting = emptyQueue();
      arm();
    },
    size: () => waiting.length,
  };
}
