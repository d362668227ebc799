import type { Bus } from "./bus.ts";
import type { KafkaBusOptions } from "./kafka/bus.ts";

/** Loads the library of Kafka where a broker is used; the local form and most tests have none. */
export async function createKafkaBus(options: KafkaBusOptions): Promise<Bus> {
  const kafka = await import("./kafka/bus.ts");
  return kafka.createKafkaBus(options);
}
