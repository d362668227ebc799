import { expect, test } from "@jest/globals";
import { newId } from "@pay/values";
import { Partitioners, type PartitionMetadata } from "kafkajs";
import { rememberingPartitioner } from "./partitioner.ts";

test("a key goes where every Kafka client would put it, the first time and later", () => {
  const remembering = rememberingPartitioner();
  const usual = Partitioners.DefaultPartitioner();
  const keys = Array.from({ length: 300 }, () => newId("proj"));
  for (const count of [3, 12, 3]) {
    const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
      partitionId,
    })) as PartitionMetadata[];
    for (const key of [...keys, ...keys]) {
      const args = { topic: "payments.events.v1", partitionMetadata, message: { key, value: "" } };
      expect(remembering(args)).toBe(usual(args));
    }
  }
});
