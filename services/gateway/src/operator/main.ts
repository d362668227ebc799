import { runOperator } from "./projects-create.ts";

process.exitCode = await runOperator(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
