// Waiting deliveries, earliest first, behind a single timer. Time here is monotonic, so that a wall clock which is set
// forwards or back neither fires anything at once nor keeps anything from firing.

/** Monotonic time and a way to be woken at a moment of it; tests hand in one they move by hand. */
export interface Timeline {
  now(): number;
  /** Calls back at that moment or a little before; answers how to take it back. */
  wakeAt(moment: number, wake: () => void): () => void;
}

export const realTimeline: Timeline = {
  now: () => performance.now(),
  wakeAt: (moment, wake) => {
    const timer = setTimeout(wake, Math.max(0, Math.ceil(moment - performance.now())));
    return () => clearTimeout(timer);
  },
};

export interface Timers<T> {
  add(dueAt: number, item: T): void;
  clear(): void;
  size(): number;
}

interface Entry<T> {
  dueAt: number;
  item: T;
}

export const createTimers = <T>(timeline: Timeline, onDue: (items: T[]) => void): Timers<T> => {
  const heap: Entry<T>[] = [];
  let armedAt = Number.POSITIVE_INFINITY;
  let disarm = () => {};

  const arm = () => {
    const first = heap[0]?.dueAt ?? Number.POSITIVE_INFINITY;
    if (first === armedAt) return;
    disarm();
    armedAt = first;
    disarm = first === Number.POSITIVE_INFINITY ? () => {} : timeline.wakeAt(first, fire);
  };

  const fire = () => {
    armedAt = Number.POSITIVE_INFINITY;
    const due: T[] = [];
    const now = timeline.now();
    while (heap[0] !== undefined && heap[0].dueAt <= now) due.push(pop(heap));
    arm();
    if (due.length > 0) onDue(due);
  };

  return {
    add: (dueAt, item) => {
      push(heap, { dueAt, item });
      arm();
    },
    clear: () => {
      heap.length = 0;
      arm();
    },
    size: () => heap.length,
  };
};

const push = <T>(heap: Entry<T>[], entry: Entry<T>): void => {
  let at = heap.length;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Entry<T>;
    if (parent.dueAt <= entry.dueAt) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = entry;
};

const pop = <T>(heap: Entry<T>[]): T => {
  const [first] = heap as [Entry<T>];
  const last = heap.pop() as Entry<T>;
  if (heap.length > 0) sink(heap, last);
  return first.item;
};

const sink = <T>(heap: Entry<T>[], entry: Entry<T>): void => {
  let at = 0;
  for (;;) {
    const left = at * 2 + 1;
    const right = left + 1;
    const [a, b] = [heap[left], heap[right]];
    if (a === undefined) break;
    const [below, child] = b !== undefined && b.dueAt < a.dueAt ? [right, b] : [left, a];
    if (child.dueAt >= entry.dueAt) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = entry;
};
