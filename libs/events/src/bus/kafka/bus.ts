// The bus on Kafka. Neither its creation nor a subscription needs a broker to be there: both go on trying in the
// background, so that services start, answer and fill their outbox while Kafka is away.
import type { Runtime } from "@pay/process";
import { settlesWithin } from "../../pause.ts";
import { type Bus, refuseSecond, type Subscription } from "../bus.ts";
import { createKafka } from "./client.ts";
import type { KafkaSettings } from "./config.ts";
import { startKafkaConsumer } from "./consumer.ts";
import { createFaultLog } from "./fault-log.ts";
import { createKafkaProducer } from "./producer.ts";
import { createEnsureTopics } from "./topics.ts";

const CLOSE_WAIT_MS = 3_000;

export type KafkaBusOptions = KafkaSettings & {
  clientId: string;
  runtime: Runtime;
  /** The topics that this process publishes on, which are checked at its start. */
  publishes?: readonly string[];
  /** How often consumers query the brokers for their lag. */
  lagEveryMs?: number;
  /** Bound on a consumer without progress while the brokers answer others. */
  stallMaxMs?: number;
};

export async function createKafkaBus(options: KafkaBusOptions): Promise<Bus> {
  const { runtime, clientId, topicPrefix = "", topicState = false } = options;
  const { recordBytesMax = 900_000, publishes = [], lagEveryMs, stallMaxMs } = options;
  const { log } = runtime;
  const kafka = createKafka(options, clientId, log);
  const reporting = createFaultLog(options, log);
  const ensureTopics = createEnsureTopics(kafka, options, log);
  function prepare(topics: readonly string[]) {
    return reporting(() => ensureTopics(topics));
  }

  // Not awaited: it reports a wrong address before the first event is published.
  const greeting = prepare(publishes).catch(() => {});
  const producer = createKafkaProducer({
    kafka,
    topicPrefix,
    recordBytesMax,
    topicState,
    prepare,
    log,
  });
  const consumers: { subscription: Subscription; stop(): Promise<void> }[] = [];

  const bus: Bus = {
    publish: producer.publish,
    subscribe: async (subscription) => {
      refuseSecond(
        subscription,
        consumers.map((one) => one.subscription),
      );
      const { stop } = startKafkaConsumer({
        kafka,
        runtime,
        topicPrefix,
        subscription,
        prepare,
        ...(lagEveryMs === undefined ? {} : { lagEveryMs }),
        ...(stallMaxMs === undefined ? {} : { stallMaxMs }),
      });
      consumers.push({ subscription, stop });
      // Registered now, hence undone before what the handler works with.
      runtime.onStop(`consumer ${subscription.group}`, stop);
    },
    close: async () => {
      await Promise.all(consumers.map(({ stop }) => stop()));
      await producer.close();
      await settlesWithin(greeting, CLOSE_WAIT_MS);
    },
  };
  runtime.onStop("kafka bus", () => bus.close());
  return bus;
}
