// npm run bench -- NAME: runs bench/NAME.ts. Every figure is one printed line: name value unit.
import { readdirSync } from "node:fs";

const [name = ""] = process.argv.slice(2);
const path = `./${name}.ts`;
const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `./${file}`);

const { run } = known.includes(path) ? await import(path) : {};
if (typeof run === "function") {
  await run();
} else {
  process.stderr.write("usage: npm run bench -- NAME, e.g. relay\n");
  process.exitCode = 1;
}
