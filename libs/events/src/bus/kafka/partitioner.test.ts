import { expect, test } from "@jest/globals";
import { newId } from "@pay/values";
import { Partitioners, type PartitionMetadata } from "kafkajs";
import { fastPartitioner } from "./partitioner.ts";

test("a key goes where every Kafka client would put it", () => {
  const fast = fastPartitioner();
  const usual = Partitioners.DefaultPartitioner();
  // Of every length, because the last bytes are hashed otherwise.
  const keys = Array.from({ length: 300 }, (_, n) => `${newId("proj")}/é${n}`.slice(n % 30));
  for (const count of [3, 12, 48]) {
    const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
      partitionId,
    })) as PartitionMetadata[];
    for (const key of keys) {
      const args = { topic: "payments.events.v1", partitionMetadata, message: { key, value: "" } };
      expect(fast(args)).toBe(usual(args));
    }
  }
});
