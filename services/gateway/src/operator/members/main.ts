import { runBootstrap } from "../members.ts";

process.exitCode = await runBootstrap(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
