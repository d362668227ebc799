// Lists of one project take turns, so that a project with many lists under way leaves the connections to the others. What
// waits is bounded in number; how long it waits is bounded by the deadline of the call.
import { Failure } from "@pay/failures";

export interface Turns {
  /** Runs the work when fewer than the bound of this project run. */
  take<T>(projectId: string, work: () => Promise<T>): Promise<T>;
}

interface Queue {
  running: number;
  waiting: (() => void)[];
}

export function createTurns({
  runningMax,
  waitingMax,
}: {
  runningMax: number;
  waitingMax: number;
}): Turns {
  const queues = new Map<string, Queue>();

  async function enter(queue: Queue): Promise<void> {
    if (queue.running < runningMax) {
      queue.running++;
      return;
    }
    if (queue.waiting.length >= waitingMax) {
      throw new Failure("rate_limited", "Too many lists of this project are read at the same time");
    }
    // The work that ends gives its turn to the next one, so the number of running ones stays the same.
    await new Promise<void>((resolve) => queue.waiting.push(resolve));
  }

  function leave(projectId: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next !== undefined) next();
    else if (--queue.running === 0) queues.delete(projectId);
  }

  return {
    take: async (projectId, work) => {
      const queue = queues.get(projectId) ?? { running: 0, waiting: [] };
      queues.set(projectId, queue);
      await enter(queue);
      try {
        return await work();
      } finally {
        leave(projectId, queue);
      }
    },
  };
}
