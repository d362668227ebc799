// The bus inside one process, for running the whole product without Kafka. It stores nothing: the outbox is the log.
// So `publish` resolves only when every subscriber of the topic is done, and rejects when one of them fails; the
// relay then keeps the rows and publishes them again, and the subscribers that were done drop the repeats by their ids.
import { type Bus, type BusRecord, LIST_MAX, refuseSecond, type Subscription } from "./bus.ts";

export interface LocalBusOptions {
  /**
   * Nothing is published before. A consumer that starts a moment after the relay would otherwise miss events left over
   * from the last run.
   */
  openWhen?: Promise<unknown>;
}

export function createLocalBus({ openWhen }: LocalBusOptions = {}): Bus {
  const subscribers: { subscription: Subscription; last: Promise<unknown> }[] = [];
  const ended = Promise.withResolvers<void>();
  // One wait for all publications: each of its own would leave a reaction on a promise that lives as long as the bus.
  const opened = Promise.race([openWhen, ended.promise]);
  // A refusal is for those who publish.
  opened.catch(() => {});
  let closed = false;

  return {
    publish: async (records) => {
      await opened;
      if (closed) throw new Error("the bus is closed");
      const handled = subscribers.map((subscriber) => {
        const { topics } = subscriber.subscription;
        const wanted = records.filter(({ topic }) => topics.includes(topic));
        if (wanted.length === 0) return undefined;
        // One list after the other, so that two publishers cannot overtake each other at a subscriber.
        const done = subscriber.last.then(() => handInLists(subscriber.subscription, wanted));
        subscriber.last = done.catch(() => {});
        return done;
      });
      const failed = (await Promise.allSettled(handled)).find(
        ({ status }) => status !== "fulfilled",
      );
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    },
    subscribe: async (subscription) => {
      refuseSecond(
        subscription,
        subscribers.map((one) => one.subscription),
      );
      subscribers.push({ subscription, last: Promise.resolve() });
    },
    close: async () => {
      closed = true;
      ended.resolve();
      await Promise.all(subscribers.map(({ last }) => last));
    },
  };
}

async function handInLists({ handle }: Subscription, records: BusRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += LIST_MAX) {
    await handle(records.slice(at, at + LIST_MAX));
  }
}
