// One relay or one consumer as a process of its own, so that a test can kill or freeze it at a chosen moment: right
// after Kafka's acknowledgement, in the transaction of an effect, or right after its commit. It prints "there" and then
// waits for a line.
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline/promises";
import { openDatabase } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { type Bus, consume, createKafkaBus, startRelay } from "../src/index.ts";
import { leaveEffects } from "./leave-effects.ts";

const [part, url = "", brokers = "", topicPrefix = ""] = process.argv.slice(2);

const lines = createInterface({ input: process.stdin });
async function there() {
  process.stdout.write("there\n");
  await new Promise((resolve) => lines.once("line", resolve));
}

const runtime = createTestRuntime("part");
const db = openDatabase({ url, poolMax: 5, runtime });
const kafka = await createKafkaBus({
  brokers: brokers.split(","),
  topicPrefix,
  topicPartitions: 3,
  clientId: "part",
  runtime,
});

// A killed process does not get to its end.
flushCompileCache();

const bus: Bus = {
  ...kafka,
  publish: async (records) => {
    await kafka.publish(records);
    await there();
  },
  subscribe: (subscription) =>
    kafka.subscribe({
      ...subscription,
      handle: async (records) => {
        await subscription.handle(records);
        if (part === "consumer") await there();
      },
    }),
};

if (part === "relay") {
  startRelay({ db, bus, runtime });
} else {
  const types = ["payment.processing"] as const;
  let isHeld = part === "writing consumer";
  const handle: typeof leaveEffects = async (events, tx) => {
    await leaveEffects(events, tx);
    if (isHeld) await there();
    isHeld = false;
  };
  await consume({ bus, db, runtime, consumer: "sample", types, handle });
}
