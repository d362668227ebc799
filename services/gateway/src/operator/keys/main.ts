import { runKeysCreate } from "../keys-create.ts";

process.exitCode = await runKeysCreate(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
