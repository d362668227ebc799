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
import { ConfigResourceTypes, Kafka, logLevel } from "kafkajs";
import { findTopics, follow } from "../src/follow/follow.ts";
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
      expect(reported.toSorted((a, b) => a.subject.localeCompare(b.subject))).toEqual([
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

describeWithKafka("a reader who comes late", () => {
  test("finds each resource's last event under its id, on a topic that is compacted", async () => {
    const { brokers, topicPrefix } = await testKafka();
    const runtime = createTestRuntime("events");
    const options = { brokers, topicPrefix, topicState: true, clientId: "events-test", runtime };
    const bus = await createKafkaBus(options);
    await publishUntilSafe(bus, [
      event("evt_1", { type: "payment.created", sequence: 1 }),
      event("evt_2", { resourceId: "pay_2" }),
      event("evt_3"),
    ]);
    const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
    const topic = `${topicPrefix}payments.state.v1`;
    const kept = new Map<string, string>();
    const consumer = kafka.consumer({ groupId: `${topicPrefix}late` });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { key, headers } }) => {
        kept.set(`${key}`, `${headers?.ce_id}`);
      },
    });
    const admin = kafka.admin();
    await admin.connect();
    try {
      await until(() => kept.get("pay_1") === "evt_3" && kept.size === 2);
      const configNames = ["cleanup.policy"];
      const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames }];
      const described = await admin.describeConfigs({ resources, includeSynonyms: false });
      expect(described.resources[0]?.configEntries).toEqual([
        expect.objectContaining({ configName: "cleanup.policy", configValue: "compact" }),
      ]);
    } finally {
      await consumer.disconnect();
      await admin.disconnect();
      await runtime.stop();
    }
  });
});

describeWithKafka("records on their way", () => {
  test("are compressed, except where a merchant's text could grow in a reader's memory", async () => {
    const { brokers, topicPrefix } = await testKafka();
    const runtime = createTestRuntime("events");
    const bus = await createKafkaBus({ brokers, topicPrefix, clientId: "events-test", runtime });
    const text = "a".repeat(50_000);
    const small = Array.from({ length: 200 }, (_, number) => event(`evt_${number}`));
    const long = event("evt_long", {
      resource: { case: "payment", value: { id: "pay_1", description: text } },
    });
    await publishUntilSafe(bus, small);
    const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `${topicPrefix}bytes` });
    let fetched = 0;
    let read = 0;
    consumer.on(consumer.events.REQUEST, ({ payload }) => {
      if (payload.apiName === "Fetch") fetched += payload.size;
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topicPrefix + TOPICS.payments], fromBeginning: true });
    await consumer.run({
      eachMessage: async () => {
        read++;
      },
    });
    try {
      await until(() => read === small.length);
      expect(fetched).toBeLessThan(small.length * 100);
      await publishUntilSafe(bus, [event("evt_beside"), long]);
      await until(() => read === small.length + 2);
      expect(fetched).toBeGreaterThan(text.length);
    } finally {
      await consumer.disconnect();
      await runtime.stop();
    }
  });
});

describeWithKafka("the command that follows a topic", () => {
  test("shows its events as lines, from its beginning on", async () => {
    const { brokers, topicPrefix } = await testKafka();
    const runtime = createTestRuntime("events");
    const bus = await createKafkaBus({ brokers, topicPrefix, clientId: "events-test", runtime });
    await publishUntilSafe(bus, [event("evt_1"), event("evt_2", { mode: Mode.LIVE, sequence: 4 })]);
    const lines: string[] = [];
    const followed = { topics: findTopics("payments"), fromBeginning: true, json: false };
    const stop = await follow({ brokers, topicPrefix }, followed, {
      print: (line) => void lines.push(line),
      log: runtime.log,
    });
    try {
      await until(() => lines.length === 2);
      expect(lines).toEqual([
        "2026-03-01T12:00:00.123Z  payment.confirmed  pay_1  3  test  proj_1  evt_1",
        "2026-03-01T12:00:00.123Z  payment.confirmed  pay_1  4  live  proj_1  evt_2",
      ]);
      expect(() => findTopics("payment")).toThrow("payments|settlements");
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
        return ["pay_1 test", "pay_2 live"].every((line) => reported.includes(line));
      });
      const lines = reported.split("\n").filter((line) => line.startsWith("proj_1/"));
      expect(lines.sort()).toEqual([
        "proj_1/10 pay_1 test 2026-03-01T12:00:00.123Z",
        "proj_1/48 pay_2 live 2026-03-01T12:00:00.123Z",
      ]);
    } finally {
      java.kill("SIGKILL");
      if (java.exitCode === null && java.signalCode === null) await once(java, "exit");
      await runtime.stop();
    }
  });
});
