// Events of the other services: payments that transfers may pay, refunds and settlements, and wallets of projects.
import type { Database } from "@pay/database";
import { type Bus, consume } from "@pay/events";
import type { Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import { INTENT_TYPES, takeIntents } from "./take-intents.ts";
import { OUTGOING_TYPES, takeOutgoing } from "./take-outgoing.ts";
import { PAYMENT_TYPES, takePayments } from "./take-payments.ts";
import { PROJECT_TYPES, takeProjects } from "./take-projects.ts";

const TYPES = [
  ...new Set([...PAYMENT_TYPES, ...OUTGOING_TYPES, ...INTENT_TYPES, ...PROJECT_TYPES]),
];

/** Jobs that have work after events. */
export interface Wakes {
  verifying(chainId: ChainId): void;
  following(chainId: ChainId): void;
  turns(): void;
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
  let isToDecide = false;
  await consume({
    bus,
    db,
    runtime,
    consumer: "chains",
    types: TYPES,
    handle: async (events, tx) => {
      await takeProjects(tx, events);
      const payments = await takePayments(tx, events, clock.now());
      for (const id of payments.opened) toFollow.add(id);
      for (const id of payments.submitted) toVerify.add(id);
      for (const id of await takeOutgoing(tx, events, clock.now())) toVerify.add(id);
      isToDecide = payments.isQueued || toVerify.size > 0 || isToDecide;
      isToSend = (await takeIntents(tx, events, clock.now())) || isToSend;
    },
    afterCommit: () => {
      for (const id of toVerify) wakes.verifying(id);
      toVerify.clear();
      for (const id of toFollow) wakes.following(id);
      toFollow.clear();
      if (isToDecide) wakes.turns();
      isToDecide = false;
      if (isToSend) wakes.sending();
      isToSend = false;
    },
  });
}
