// The commands of docs/operations.md on a broker that allows nothing unsaid: with them every service can do its work,
// and none can write what another has to say.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { leasePort } from "@pay/embedded";
import { createTestRuntime } from "@pay/process";
import { describeWithBroker, type TestBroker, testBroker, until } from "@pay/testing";
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from "kafkajs";
import { type BusRecord, createKafkaBus, TOPICS } from "../src/index.ts";
import { publishUntilSafe } from "./arrange.ts";

const GUIDE = readFileSync("docs/operations.md", "utf8");
const SERVICES = ["gateway", "payments", "customers", "refunds", "chains", "webhooks"];
const PASSWORD = randomUUID();

/** The guide's table: what each topic's row says. */
const ROWS = [...GUIDE.matchAll(/^\| `([a-z.0-9]+)` +\| (\w+) +\| (.*) \|$/gm)].map(
  ([, topic = "", writer = "", readers = ""]) => ({
    topic,
    writer,
    readers: [...readers.matchAll(/(\w+) \(`([\w-]+)`/g)].map(([, service = "", group = ""]) => ({
      service,
      group,
    })),
  }),
);

/** What the guide's commands would say to Kafka's own tool. */
function saidToKafka(): string[][] {
  const block = /```sh\n(may\(\) \{[\s\S]*?)```/.exec(GUIDE)?.[1] ?? "";
  const script = `kafka-acls() { echo "$*"; }\n${block}`;
  const options = { encoding: "utf8", timeout: 60_000 } as const;
  const lines = execFileSync("bash", ["-euc", script], options).trim().split("\n");
  return lines.map((line) => line.split(" "));
}

function toRules(words: string[]) {
  function after(option: string): string[] {
    return words.filter((_, at) => words[at - 1] === `--${option}`);
  }

  const resources = [
    ...after("topic").map((name) => ({ name, type: AclResourceTypes.TOPIC })),
    ...after("group").map((name) => ({ name, type: AclResourceTypes.GROUP })),
  ];
  function enumName(operation: string) {
    return operation.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  }

  return after("operation").flatMap((operation) =>
    resources.map(({ name, type }) => ({
      resourceType: type,
      resourceName: name,
      resourcePatternType:
        after("resource-pattern-type")[0] === "prefixed"
          ? ResourcePatternTypes.PREFIXED
          : ResourcePatternTypes.LITERAL,
      principal: after("allow-principal")[0] ?? "",
      host: "*",
      operation:
        AclOperationTypes[enumName(operation) as keyof typeof AclOperationTypes] ??
        AclOperationTypes.UNKNOWN,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}

function recordOn(topic: string): BusRecord {
  return {
    topic,
    key: "proj_1",
    eventId: randomUUID(),
    type: "some.event",
    requestId: "request-1",
    payload: Buffer.from("event"),
  };
}

describeWithBroker("the guide's rights on topics", () => {
  let broker: TestBroker;
  let login: string;
  const life = createTestRuntime("acl");

  function buildSasl(service: string) {
    return {
      mechanism: "plain" as const,
      username: `pay-${service}`,
      password: PASSWORD,
    };
  }

  beforeAll(async () => {
    const port = await leasePort();
    const users = SERVICES.map((name) => `user_pay-${name}="${PASSWORD}"`).join(" ");
    const plain = "org.apache.kafka.common.security.plain.PlainLoginModule";
    login = `127.0.0.1:${port}`;
    // The listener without a login is that of the operator, and of the broker itself.
    const open = await leasePort();
    const controller = await leasePort();
    const settings = {
      listeners: `PLAINTEXT://127.0.0.1:${open},LOGIN://${login},CONTROLLER://127.0.0.1:${controller}`,
      "advertised.listeners": `PLAINTEXT://127.0.0.1:${open},LOGIN://${login}`,
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      "listener.security.protocol.map":
        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_PLAINTEXT",
      "inter.broker.listener.name": "PLAINTEXT",
      "listener.name.login.sasl.enabled.mechanisms": "PLAIN",
      "listener.name.login.plain.sasl.jaas.config": `${plain} required ${users};`,
      "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "super.users": "User:ANONYMOUS",
    };
    broker = await testBroker(settings, open);
    const operator = new Kafka({
      brokers: broker.brokers,
      logLevel: logLevel.NOTHING,
    }).admin();
    await operator.connect();
    const topics = Object.values(TOPICS);
    // The library's own wait for leaders takes it for a failure that the broker does not know a new topic at once.
    await operator.createTopics({
      waitForLeaders: false,
      topics: topics.map((topic) => ({ topic })),
    });
    await until(
      () =>
        operator.fetchTopicMetadata({ topics }).then(
          (known) => known.topics.every(({ partitions }) => partitions.every((p) => p.leader >= 0)),
          () => false,
        ),
      { what: "leaders of the topics" },
    );
    for (const words of saidToKafka()) await operator.createAcls({ acl: toRules(words) });
    await operator.disconnect();
  });
  afterAll(async () => {
    await life.stop();
    await broker?.drop();
  });

  test("the table names every topic once", () => {
    expect(ROWS.map(({ topic }) => topic).sort()).toEqual(Object.values(TOPICS).sort());
  });

  test("every service reads and writes what the table says", async () => {
    const busByService = new Map<string, Awaited<ReturnType<typeof createKafkaBus>>>();
    for (const service of SERVICES) {
      const settings = { brokers: [login], sasl: buildSasl(service), topicCreate: false };
      const bus = await createKafkaBus({ ...settings, clientId: service, runtime: life });
      busByService.set(service, bus);
    }
    const arrived: string[] = [];
    const reads = ROWS.flatMap(({ topic, readers }) => readers.map((one) => ({ ...one, topic })));
    for (const group of new Set(reads.map((one) => one.group))) {
      const own = reads.filter((one) => one.group === group);
      await busByService.get(own[0]?.service ?? "")?.subscribe({
        group,
        topics: own.map(({ topic }) => topic),
        handle: async (records) => {
          arrived.push(...records.map(({ topic }) => `${group} reads ${topic}`));
        },
      });
    }
    for (const { topic, writer } of ROWS) {
      // A right takes effect on the broker some moments after its command.
      const bus = busByService.get(writer);
      if (bus !== undefined) await publishUntilSafe(bus, [recordOn(topic)]);
    }
    const expected = reads.map(({ group, topic }) => `${group} reads ${topic}`).sort();
    await until(() => new Set(arrived).size === expected.length, {
      what: "every reader's record",
    });
    expect([...new Set(arrived)].sort()).toEqual(expected);
  });

  test("no service writes what another has to say", async () => {
    const written: string[] = [];
    for (const service of SERVICES) {
      const producer = new Kafka({
        brokers: [login],
        sasl: buildSasl(service),
        logLevel: logLevel.NOTHING,
        retry: { retries: 0 },
      }).producer();
      await producer.connect();
      for (const { topic } of ROWS) {
        await producer.send({ topic, messages: [{ key: "proj_1", value: "forged" }] }).then(
          () => written.push(`${service} writes ${topic}`),
          (error) => expect(`${error}`).toMatch(/not authorized/i),
        );
      }
      await producer.disconnect();
    }
    expect(written.sort()).toEqual(
      ROWS.map(({ topic, writer }) => `${writer} writes ${topic}`).sort(),
    );
  });
});
