// Lists of one project take turns, so that a project with many or far pages leaves connections and processor to the
// others. Each project has a budget of rows that it may read. It refills with time, so how much of a process its lists
// can take is bounded, whatever it asks for. What waits is bounded in number and in time, and ends with the deadline of
// its call.
import { Failure } from "@pay/failures";

export interface Turns {
  /** Runs the work when fewer than the bound of this project run and its budget is not used up. */
  take<T>(projectId: string, list: List, work: (spend: Spend) => Promise<T>): Promise<T>;
}

interface List {
  /** Its expected cost. */
  rows: number;
  /** When the caller stops waiting. */
  deadline: Date;
}

/** Adds rows that turned out to be read besides. */
type Spend = (rows: number) => void;

interface Waiting extends List {
  begin: () => void;
  refuse: (failure: Failure) => void;
}

interface Queue {
  running: number;
  waiting: Waiting[];
  /** Rows that may be read; a list may take it below zero, and the next one waits until it is above. */
  budget: number;
  refilledAtMs: number;
  timer?: NodeJS.Timeout;
}

export interface TurnsOptions {
  runningMax: number;
  waitingMax: number;
  rowsPerS: number;
  /** The budget of a project that has read nothing for a while. */
  rowsMax: number;
  /** A list is refused when its turn would come later, or has not come by then. */
  waitMaxMs: number;
}

function tooMany(): Failure {
  return new Failure("rate_limited", "Too many lists of this project are read at the same time");
}

export function createTurns(options: TurnsOptions): Turns {
  const { runningMax, waitingMax, rowsPerS, rowsMax, waitMaxMs } = options;
  const queues = new Map<string, Queue>();

  function getQueue(projectId: string): Queue {
    const known = queues.get(projectId);
    if (known !== undefined) return known;
    const made = { running: 0, waiting: [], budget: rowsMax, refilledAtMs: performance.now() };
    queues.set(projectId, made);
    return made;
  }

  function refill(queue: Queue): void {
    const nowMs = performance.now();
    const rows = ((nowMs - queue.refilledAtMs) * rowsPerS) / 1_000;
    queue.budget = Math.min(rowsMax, queue.budget + rows);
    queue.refilledAtMs = nowMs;
  }

  function beginNext(queue: Queue): void {
    while (queue.waiting.length > 0 && queue.running < runningMax && queue.budget > 0) {
      const { rows, deadline, begin, refuse } = queue.waiting.shift() as Waiting;
      if (deadline.getTime() <= Date.now()) {
        refuse(new Failure("deadline_exceeded", "The request took too long"));
        continue;
      }
      queue.running++;
      queue.budget -= rows;
      begin();
    }
  }

  /**
   * Begins what may begin, and comes back when the budget allows more. A queue is forgotten when its budget is full.
   */
  function advance(projectId: string, queue: Queue): void {
    clearTimeout(queue.timer);
    refill(queue);
    beginNext(queue);
    const isWaiting = queue.waiting.length > 0;
    // The end of a running list advances the queue, too.
    if (queue.running >= (isWaiting ? runningMax : 1)) return;
    const wanted = isWaiting ? 0 : rowsMax;
    if (!isWaiting && queue.budget >= wanted) return void queues.delete(projectId);
    const waitMs = 1 + ((wanted - queue.budget) * 1_000) / rowsPerS;
    queue.timer = setTimeout(advance, waitMs, projectId, queue).unref();
  }

  function waitsTooLong({ waiting, budget }: Queue): boolean {
    const rowsBefore = waiting.reduce((sum, { rows }) => sum + rows, -budget);
    return waiting.length >= waitingMax || (rowsBefore * 1_000) / rowsPerS > waitMaxMs;
  }

  /** The budget says nothing about lists that are slow, so the wait is measured as well. */
  async function enter(projectId: string, queue: Queue, list: List): Promise<void> {
    refill(queue);
    if (waitsTooLong(queue)) throw tooMany();
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((begin, refuse) => {
        const waiting = { ...list, begin, refuse };
        queue.waiting.push(waiting);
        timer = setTimeout(() => {
          queue.waiting = queue.waiting.filter((other) => other !== waiting);
          refuse(tooMany());
        }, waitMaxMs);
        advance(projectId, queue);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    take: async (projectId, list, work) => {
      const queue = getQueue(projectId);
      await enter(projectId, queue, list);
      try {
        return await work((rows) => {
          queue.budget -= rows;
        });
      } finally {
        queue.running--;
        advance(projectId, queue);
      }
    },
  };
}
