// npm run faults -- --alerts [--only Kafka]: faults of the distributed product beside a real Prometheus, in about half
// an hour; prints which alerts fired and whether those are the right ones.
import { parseArgs } from "node:util";
import { runSlowTest } from "./slow-test.ts";

const { values } = parseArgs({
  options: { alerts: { type: "boolean" }, only: { type: "string", default: "" } },
});
if (values.alerts) {
  runSlowTest("faults", { FAULTS_ONLY: values.only });
} else {
  process.stderr.write("usage: npm run faults -- --alerts [--only PART_OF_A_NAME]\n");
  process.exitCode = 1;
}
