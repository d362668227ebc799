import type { Log } from "@pay/process";
import type { KafkaSettings } from "./config.ts";

const REPEAT_MS = 30_000;

/**
 * Logs in one line why Kafka cannot be used and which setting to correct: at the first failure, and at intervals while
 * it lasts, for all connections together.
 */
export function createFaultLog(
  { brokers }: KafkaSettings,
  log: Log,
): (attempt: () => Promise<void>) => Promise<void> {
  let saidAt: number | undefined;
  return async (attempt) => {
    try {
      await attempt();
      if (saidAt !== undefined) log.info("Kafka can be used now");
      saidAt = undefined;
    } catch (error) {
      if (saidAt === undefined || performance.now() - saidAt > REPEAT_MS) {
        saidAt = performance.now();
        log.warn(describeFault(error as Error, brokers));
      }
      throw error;
    }
  };
}

function describeFault({ name, message }: Error, brokers: readonly string[]): string {
  return name === "KafkaJSSASLAuthenticationError"
    ? "Kafka refuses our login: correct KAFKA_SASL_MECHANISM, _USERNAME and _PASSWORD"
    : `Kafka cannot be used at ${brokers.join(", ")} (${message}): correct KAFKA_BROKERS and ` +
        "KAFKA_SSL, or start a broker; until then events wait";
}
