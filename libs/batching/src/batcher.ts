// Makes many single calls travel as few lists. The first item leaves at the next turn of the event loop; what arrives
// while lists are under way leaves with the next one. No timer delays it: an item alone leaves at once; under load,
// lists grow by themselves to what the receiver needs. An item that waited past its own time is not sent. A list whose
// answers are not urgent may gather for a few milliseconds, because a statement costs more than an item. Where a
// receiver has replicas, a list under way for long gives its slot to the next list, because the replica that has it may
// never answer. The number of such lists is bounded.
import { Failure } from "@pay/failures";

interface Waiting<T, R> {
  item: T;
  expiresAt: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions {
  itemsMax?: number;
  /** Slots for lists under way. */
  inFlightMax?: number;
  queueMax?: number;
  waitMaxMs?: number;
  /**
   * How long a list gathers items before it leaves, unless it is full; without it, until the next turn of the event
   * loop.
   */
  gatherMs?: number;
  /** How long a list keeps its slot; without it, until the list is answered. */
  slotMaxMs?: number;
  /** Bound on lists that have given up their slot and are not answered yet. */
  slowMax?: number;
  /** A list leaves beside others once it has this share of their items; without it, with its first item. */
  besideShare?: number;
}

/**
 * For receivers with replicas. The bound is reached only where the receiver as a whole has stopped answering. Two lists
 * of half the items each keep both sides at work; one of all items and one of the next request would make them take
 * turns.
 */
export const REPLICATED = {
  slotMaxMs: 200,
  slowMax: 48,
  besideShare: 0.5,
} as const satisfies BatcherOptions;

export function createBatcher<T, R>(
  sendList: (items: T[]) => Promise<R[]>,
  options: BatcherOptions = {},
): (item: T) => Promise<R> {
  const { itemsMax = 64, queueMax = 4_096, waitMaxMs = 3_000 } = options;
  const { gatherMs, besideShare = 0 } = options;
  const queue: Waiting<T, R>[] = [];
  const slots = createSlots(options, schedule);
  let scheduled = false;
  let gathering: NodeJS.Timeout | undefined;

  function mayLeave() {
    if (queue.length === 0 || !slots.isOneFree()) return false;
    return queue.length >= Math.min(itemsMax, slots.items() * besideShare);
  }

  function schedule() {
    if (scheduled || !mayLeave()) return;
    if (gatherMs !== undefined && queue.length < itemsMax) {
      gathering ??= setTimeout(leave, gatherMs);
      return;
    }
    scheduled = true;
    setImmediate(leave);
  }

  function leave() {
    scheduled = false;
    clearTimeout(gathering);
    gathering = undefined;
    while (mayLeave()) void send(withoutLate(queue.splice(0, itemsMax)));
  }

  async function send(list: Waiting<T, R>[]) {
    if (list.length === 0) return;
    const giveBack = slots.take(list.length);
    try {
      const results = await sendList(list.map(({ item }) => item));
      if (results.length !== list.length)
        throw new Error("a list was answered with another length");
      list.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      for (const { reject } of list) reject(error);
    } finally {
      giveBack();
    }
  }

  return (item) =>
    new Promise<R>((resolve, reject) => {
      if (queue.length >= queueMax) {
        return reject(new Failure("service_overloaded", "The service is overloaded"));
      }
      queue.push({ item, expiresAt: Date.now() + waitMaxMs, resolve, reject });
      schedule();
    });
}

interface Slots {
  isOneFree(): boolean;
  /** Of the lists that hold a slot. */
  items(): number;
  /** Takes a slot for a list; the answer gives back what the list holds by then. */
  take(items: number): () => void;
}

function createSlots(
  { inFlightMax = 2, slotMaxMs, slowMax = 0 }: BatcherOptions,
  onFree: () => void,
): Slots {
  let inFlight = 0;
  let itemsInFlight = 0;
  let slow = 0;

  function take(items: number): () => void {
    inFlight++;
    itemsInFlight += items;
    let isSlow = false;
    function free() {
      inFlight--;
      itemsInFlight -= items;
    }

    function becomeSlow() {
      if (slow >= slowMax) return;
      isSlow = true;
      slow++;
      free();
      onFree();
    }

    const timer = slotMaxMs === undefined ? undefined : setTimeout(becomeSlow, slotMaxMs);
    return () => {
      clearTimeout(timer);
      if (isSlow) slow--;
      else free();
      onFree();
    };
  }

  return { take, isOneFree: () => inFlight < inFlightMax, items: () => itemsInFlight };
}

/** Refuses the items that waited past their time; answers the others. */
function withoutLate<T, R>(list: Waiting<T, R>[]): Waiting<T, R>[] {
  const now = Date.now();
  const late = list.filter(({ expiresAt }) => expiresAt < now);
  if (late.length === 0) return list;
  for (const { reject } of late)
    reject(new Failure("deadline_exceeded", "The request took too long"));
  return list.filter((waiting) => !late.includes(waiting));
}
