// npm run chaos -- --seed 1 --runs 20: random faults of the whole product, as e2e/faults/chaos.run.ts draws them;
// npm run chaos:chains: those of services/chains/test/chaos.test.ts. Of both, runs that no one has seen yet.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { runSlowTest } from "./slow-test.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, runs: { type: "string", default: "10" } },
});
const drawn = { TEST_SEED: values.seed, TEST_RUNS: values.runs };
if (positionals.includes("chains")) {
  const tests = spawn(
    "npm",
    ["test", "--silent", "--", "services/chains/test/chaos.test.ts", "--verbose"],
    { stdio: "inherit", env: { ...process.env, ...drawn } },
  );
  tests.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  runSlowTest("chaos", drawn);
}
