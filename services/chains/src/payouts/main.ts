// Entry point of the command.
import { runCommand } from "../operator-command.ts";
import { readSignersCommand, runSigners } from "./signers-command.ts";

const { argv, env } = process;
const command = { read: readSignersCommand, act: runSigners };
await runCommand({ name: "signers", args: argv.slice(2), env, ...command });
