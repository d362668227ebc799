// npm run faults -- --alerts [--only Kafka]: faults of the distributed product beside a real Prometheus, in about half
// an hour; prints which alerts fired and whether those are the right ones.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { alerts: { type: "boolean" }, only: { type: "string", default: "" } },
});
if (values.alerts) {
  const run = spawn(
    process.execPath,
    [
      "--experimental-vm-modules",
      "--disable-warning=ExperimentalWarning",
      "node_modules/jest/bin/jest.js",
      "--config",
      "e2e/cluster/jest.config.mjs",
      "--verbose",
      "faults.run",
    ],
    { stdio: "inherit", env: { ...process.env, FAULTS_ONLY: values.only } },
  );
  run.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  process.stderr.write("usage: npm run faults -- --alerts [--only PART_OF_A_NAME]\n");
  process.exitCode = 1;
}
