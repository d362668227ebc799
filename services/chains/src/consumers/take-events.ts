// Events of the other services: payments to watch, hashes to verify, and refunds and settlements to send.
import type { Database } from "@pay/database";
import { type Bus, consume } from "@pay/events";
import type { Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import { INTENT_TYPES, takeIntents } from "./take-intents.ts";
import { SUBMISSION_TYPES, takeSubmissions } from "./take-submissions.ts";
import { takeWatches, WATCH_TYPES } from "./take-watches.ts";

const TYPES = [...new Set([...SUBMISSION_TYPES, ...WATCH_TYPES, ...INTENT_TYPES])];

/** Jobs that have work after events. */
export interface Wakes {
  relay(): void;
  verifying(chainId: ChainId): void;
  following(chainId: ChainId): void;
  sending(): void;
}

interface Options {
  bus: Bus;
  db: Database;
  runtime: Runtime;
  wakes: Wakes;
}

export async function startTakingEvents({ bus, db, runtime, wakes }: Options): Promise<void> {
  const { clock } = runtime;
  const toVerify = new Set<ChainId>();
  const toFollow = new Set<ChainId>();
  let isToSend = false;
  await consume({
    bus,
    db,
    runtime,
    consumer: "chains",
    types: TYPES,
    handle: async (events, tx) => {
      const watched = await takeWatches(tx, events, clock.now());
      for (const id of watched.opened) toFollow.add(id);
      for (const id of watched.touched) toVerify.add(id);
      for (const id of await takeSubmissions(tx, events, clock.now())) toVerify.add(id);
      isToSend = (await takeIntents(tx, events, clock.now())) || isToSend;
    },
    afterCommit: () => {
      wakes.relay();
      for (const id of toVerify) wakes.verifying(id);
      toVerify.clear();
      for (const id of toFollow) wakes.following(id);
      toFollow.clear();
      if (isToSend) wakes.sending();
      isToSend = false;
    },
  });
}
