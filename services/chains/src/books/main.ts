// Entry point of the command.
import { runCommand } from "../operator-command.ts";
import { readArguments, reportBooks } from "./report.ts";

const { argv, env } = process;
await runCommand({
  name: "books",
  args: argv.slice(2),
  env,
  read: readArguments,
  act: ({ pool }, time) => reportBooks(pool, time),
});
