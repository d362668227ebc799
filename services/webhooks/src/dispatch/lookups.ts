// Keeps lanes' knowledge of their endpoints fresh. A lane that was idle is asked for when it gets something to send,
// together with all others that woke in the same turn; until the answer is there, it starts nothing.
import type { Log } from "@pay/process";
import type { Directory } from "./directory.ts";
import type { Lane } from "./lanes.ts";

const FRESH_MS = 900;

export interface Lookups {
  /** To be called before something is queued. */
  ensureFresh(lane: Lane): void;
  /** Asks now; throws when there is no answer, and what was known stays. */
  ask(lanes: Lane[]): Promise<void>;
}

export const createLookups = (options: {
  directory: Directory;
  log: Log;
  now: () => number;
  /** These lanes know their endpoint now. */
  onKnown: (lanes: Lane[]) => void;
}): Lookups => {
  const { directory, log, now, onKnown } = options;
  const stale = new Set<Lane>();
  let asking = false;

  const ask = async (lanes: Lane[]) => {
    const askedAt = now();
    const found = await directory.find(lanes.map(({ endpointId }) => endpointId));
    for (const lane of lanes) {
      lane.target = found.has(lane.endpointId) ? found.get(lane.endpointId) : null;
      lane.targetAt = askedAt;
    }
    onKnown(lanes);
  };

  const askForStale = async () => {
    while (stale.size > 0) {
      const lanes = [...stale];
      stale.clear();
      await ask(lanes).catch((error: unknown) =>
        // They stay unknown, and the next refresh of busy lanes asks again.
        log.warn({ err: error, endpoints: lanes.length }, "endpoints were not looked up"),
      );
    }
    asking = false;
  };

  return {
    ask,
    ensureFresh: (lane) => {
      if (now() - lane.targetAt <= FRESH_MS) return;
      lane.target = undefined;
      stale.add(lane);
      if (asking) return;
      asking = true;
      setImmediate(() => void askForStale());
    },
  };
};
