// The bus on Kafka. Neither its creation nor a subscription needs a broker to be there: both go on trying in the
// background, so that services start, answer and fill their outbox while Kafka is away.
import type { Runtime } from "@pay/process";
import { type Bus, refuseSecond, type Subscription } from "./bus.ts";
import { createKafka } from "./kafka-client.ts";
import type { KafkaSettings } from "./kafka-config.ts";
import { startKafkaConsumer } from "./kafka-consumer.ts";
import { createObstacleTeller, greet } from "./kafka-obstacle.ts";
import { createKafkaProducer } from "./kafka-producer.ts";
import { ensureTopics } from "./kafka-topics.ts";
import { settlesWithin } from "./pause.ts";

const CLOSE_WAIT_MS = 3_000;

export type KafkaBusOptions = KafkaSettings & {
  clientId: string;
  runtime: Runtime;
  /** Bound on a consumer without progress while the brokers answer others. */
  stallMaxMs?: number;
};

export const createKafkaBus = async (options: KafkaBusOptions): Promise<Bus> => {
  const { runtime, clientId, topicPrefix = "", recordBytesMax = 900_000, stallMaxMs } = options;
  const { log } = runtime;
  const kafka = createKafka(options, clientId, log);
  const telling = createObstacleTeller(options, log);
  const prepare = () => telling(() => ensureTopics(kafka, options, log));
  // Nobody waits for it: it is how a wrong address is told before the first event wants to go out.
  const greeting = telling(() => greet(kafka)).catch(() => {});
  const producer = createKafkaProducer({ kafka, topicPrefix, recordBytesMax, prepare, log });
  const consumers: { subscription: Subscription; stop(): Promise<void> }[] = [];

  const bus: Bus = {
    publish: producer.publish,
    subscribe: async (subscription) => {
      refuseSecond(
        subscription,
        consumers.map((one) => one.subscription),
      );
      const { stop } = startKafkaConsumer({
        ...{ kafka, runtime, topicPrefix, subscription, prepare },
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
};
