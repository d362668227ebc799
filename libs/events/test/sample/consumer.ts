// What another team writes to follow payments: plain kafkajs and the messages of @pay/proto, nothing else of this
// product. It has a group of its own, drops what it has seen by ce_id, ignores types that it does not know, and takes
// an older sequence of a resource for what it is: a late repetition.
import { fromBinary } from "@bufbuild/protobuf";
import { EventSchema } from "@pay/proto/events";
import { Kafka, logLevel } from "kafkajs";

export interface ConfirmedPayment {
  type: string;
  mode: string;
  subject: string;
  time: string;
  status: string;
}

/** Calls `report` once for every payment that is confirmed; resolves to what ends it. */
export async function followPayments(
  { brokers, topic, groupId }: { brokers: string[]; topic: string; groupId: string },
  report: (payment: ConfirmedPayment) => void,
): Promise<() => Promise<void>> {
  const consumer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).consumer({ groupId });
  // A real consumer keeps ids and sequences in its database, in the transaction that does its work.
  const seen = new Set<string>();
  const sequences = new Map<string, number>();
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { headers = {}, value } }) => {
      const header = (name: string) => headers[name]?.toString() ?? "";
      if (header("ce_type") !== "payment.confirmed" || value === null || seen.has(header("ce_id")))
        return;
      seen.add(header("ce_id"));
      const { resource, resourceId, sequence } = fromBinary(EventSchema, value);
      if (resource.case !== "payment" || (sequences.get(resourceId) ?? 0) >= sequence) return;
      sequences.set(resourceId, sequence);
      const [type, mode] = [header("ce_type"), header("ce_mode")];
      const [subject, time] = [header("ce_subject"), header("ce_time")];
      report({ type, mode, subject, time, status: resource.value.status });
    },
  });
  return () => consumer.disconnect();
}
