// The topics as teams beside this product use them: records that say in their headers what they are, read by a consumer
// that has nothing of ours but the messages.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { Mode } from "@pay/proto";
import {
  describeWithBroker,
  describeWithKafka,
  kafkaClassPath,
  testKafka,
  until,
} from "@pay/testing";
import { createKafkaBus, type NewEvent, outboxRow, TOPICS } from "../src/index.ts";
import { publishUntilSafe } from "./arrange.ts";
import { type ConfirmedPayment, followPayments } from "./sample/consumer.ts";

function event(id: string, change: Partial<NewEvent> = {}) {
  return outboxRow({
    id,
    type: "payment.confirmed",
    projectId: "proj_1",
    mode: Mode.TEST,
    resourceId: "pay_1",
    sequence: 3,
    requestId: "req_1",
    occurredAt: timestampFromDate(new Date("2026-03-01T12:00:00.123Z")),
    resource: { case: "payment", value: { id: "pay_1", status: "confirmed" } },
    ...change,
  } as NewEvent);
}

describeWithKafka("another team's consumer", () => {
  test("gets each confirmed payment once, from headers and a message of @pay/proto", async () => {
    const { brokers, topicPrefix } = await testKafka();
    const runtime = createTestRuntime("events");
    const bus = await createKafkaBus({ brokers, topicPrefix, clientId: "events-test", runtime });
    const reported: ConfirmedPayment[] = [];
    const place = {
      brokers,
      topic: topicPrefix + TOPICS.payments,
      groupId: `${topicPrefix}reports`,
    };
    // The first record makes the topic.
    await publishUntilSafe(bus, [
      event("evt_1", { type: "payment.created", sequence: 1 }),
      event("evt_2"),
      event("evt_2"),
      event("evt_3", { sequence: 2 }),
      event("evt_4", { resourceId: "pay_2", mode: Mode.LIVE }),
    ]);
    const stop = await followPayments(place, (one) => reported.push(one));
    try {
      await until(() => reported.length >= 2);
      expect(reported).toEqual([
        {
          type: "payment.confirmed",
          mode: "test",
          subject: "pay_1",
          status: "confirmed",
          time: "2026-03-01T12:00:00.123Z",
        },
        expect.objectContaining({ subject: "pay_2", mode: "live" }),
      ]);
    } finally {
      await stop();
      await runtime.stop();
    }
  });
});

describeWithBroker("another team's consumer in Java", () => {
  test("gets each confirmed payment once, from the headers", async () => {
    const { brokers, topicPrefix } = await testKafka();
    const runtime = createTestRuntime("events");
    const bus = await createKafkaBus({ brokers, topicPrefix, clientId: "events-test", runtime });
    await bus.publish([
      event("evt_1", { type: "payment.created", sequence: 1 }),
      event("evt_2"),
      event("evt_2"),
      event("evt_3", { resourceId: "pay_2", mode: Mode.LIVE }),
    ]);
    const program = join(import.meta.dirname, "sample/ConfirmedPayments.java");
    const wanted = [brokers.join(), topicPrefix + TOPICS.payments, `${topicPrefix}java`];
    const java = spawn("java", ["-cp", await kafkaClassPath(), program, ...wanted]);
    let [reported, complaints] = ["", ""];
    java.stdout.on("data", (part) => {
      reported += part;
    });
    java.stderr.on("data", (part) => {
      complaints += part;
    });
    try {
      await until(() => {
        if (java.exitCode !== null) throw new Error(`the consumer ended: ${complaints}`);
        return reported.includes("pay_2 live");
      });
      expect(reported.split("\n").filter((line) => line.startsWith("proj_1 "))).toEqual([
        "proj_1 pay_1 test 2026-03-01T12:00:00.123Z",
        "proj_1 pay_2 live 2026-03-01T12:00:00.123Z",
      ]);
    } finally {
      java.kill("SIGKILL");
      if (java.exitCode === null && java.signalCode === null) await once(java, "exit");
      await runtime.stop();
    }
  });
});
