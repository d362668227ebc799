// Each sample is run against the golden vectors where its language is on the machine.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@jest/globals";
import { testUnless } from "@pay/testing";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const VECTORS = join(HERE, "../vectors/webhooks.json");
// A first run of Go compiles what the sample uses of its library.
const TIMEOUT_MS = 150_000;

interface Sample {
  language: string;
  /** Tells whether the language is there. */
  probe: string[];
  run: string[];
}

const SAMPLES: Sample[] = [
  { language: "Python", probe: ["python3", "--version"], run: ["python3", "python/verify.py"] },
  { language: "PHP", probe: ["php", "--version"], run: ["php", "php/verify.php"] },
  { language: "Go", probe: ["go", "version"], run: ["go", "run", "go/verify.go"] },
  { language: "Ruby", probe: ["ruby", "--version"], run: ["ruby", "ruby/verify.rb"] },
];

const { vectors } = JSON.parse(readFileSync(VECTORS, "utf8")) as {
  vectors: { name: string; reason: string | null }[];
};

function start([program = "", ...rest]: string[]) {
  return spawnSync(program, rest, { cwd: HERE, encoding: "utf8", timeout: TIMEOUT_MS });
}

for (const { language, probe, run } of SAMPLES) {
  const missing = start(probe).status === 0 ? undefined : `no ${language}`;
  testUnless(missing, `the sample in ${language} gives the reason of every vector`, () => {
    const { stdout, stderr, status } = start([...run, VECTORS]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const reasons = JSON.parse(stdout) as (string | null)[];
    expect(vectors.map(({ name }, at) => [name, reasons[at]])).toEqual(
      vectors.map(({ name, reason }) => [name, reason]),
    );
  });
}
