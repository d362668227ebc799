import type { Log } from "@pay/process";
import type { Kafka } from "kafkajs";
import type { KafkaSettings } from "./kafka-config.ts";

const REPEAT_MS = 30_000;

/**
 * Says in one line what keeps us from using Kafka and which setting to correct, at the first failure and now and then
 * while it lasts, whoever it is that tries.
 */
export const createObstacleTeller = (
  { brokers }: KafkaSettings,
  log: Log,
): ((attempt: () => Promise<void>) => Promise<void>) => {
  let saidAt: number | undefined;
  return async (attempt) => {
    try {
      await attempt();
      if (saidAt !== undefined) log.info("Kafka can be used now");
      saidAt = undefined;
    } catch (error) {
      if (saidAt === undefined || performance.now() - saidAt > REPEAT_MS) {
        saidAt = performance.now();
        log.warn(obstacleIn(error as Error, brokers));
      }
      throw error;
    }
  };
};

const obstacleIn = ({ name, message }: Error, brokers: readonly string[]): string =>
  name === "KafkaJSSASLAuthenticationError"
    ? "Kafka refuses our login: correct KAFKA_SASL_MECHANISM, _USERNAME and _PASSWORD"
    : `Kafka cannot be used at ${brokers.join(", ")} (${message}): correct KAFKA_BROKERS and ` +
      "KAFKA_SSL, or start a broker; until then events wait";

/** Whether the brokers answer us at all; it changes nothing there. */
export const greet = async (kafka: Kafka): Promise<void> => {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.listTopics();
  } finally {
    await admin.disconnect().catch(() => {});
  }
};
