// Entry point of the command.
import { runCommand } from "../command.ts";
import { readSignersCommand, runSigners } from "../signers.ts";

const { argv, env } = process;
const command = { read: readSignersCommand, act: runSigners };
await runCommand({ name: "signers", args: argv.slice(2), env, ...command });
