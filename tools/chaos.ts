// npm run chaos:chains -- --seed 1 --runs 200: runs of services/chains/test/chaos.test.ts that no one has seen yet.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, runs: { type: "string", default: "10" } },
});
const tests = spawn(
  "npm",
  ["test", "--silent", "--", "services/chains/test/chaos.test.ts", "--verbose"],
  {
    stdio: "inherit",
    env: { ...process.env, TEST_SEED: values.seed, TEST_RUNS: values.runs },
  },
);
tests.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
