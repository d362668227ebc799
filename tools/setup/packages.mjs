// Installs the packages of the lock file, a Node for this platform among them.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { computeHash, MODULES, NODE, ROOT, readIfThere } from "./files.mjs";
import { run, SetupError, say, seconds } from "./run.mjs";

const NODE_MAJOR = 24;
const INSTALL_STAMP = join(MODULES, ".installed");

function lockHash(lockText) {
  return computeHash([lockText], []);
}

function lockFile() {
  return readFileSync(join(ROOT, "package-lock.json"), "utf8");
}

export function areInstalled(lockText = lockFile()) {
  return existsSync(NODE) && readIfThere(INSTALL_STAMP) === lockHash(lockText);
}

/** True when npm itself has recorded exactly the packages of the lock file, for instance after a manual `npm ci`. */
function alreadyInstalled(lockText) {
  const recorded = readIfThere(join(MODULES, ".package-lock.json"));
  if (recorded === undefined) return false;
  const there = JSON.parse(recorded).packages;
  return Object.entries(JSON.parse(lockText).packages).every(
    ([path, { version, optional, devOptional, peer }]) => {
      // A workspace is linked, whatever its version is.
      if (!path.includes("node_modules/")) return true;
      const skippable = optional || devOptional || peer;
      return there[path] === undefined ? skippable : there[path].version === version;
    },
  );
}

function locksNode(lockText) {
  const platform = process.platform.replace("win32", "win");
  return `node_modules/node-${platform}-${process.arch}` in JSON.parse(lockText).packages;
}

/** npm with the machine's own Node: the one below node_modules disappears while packages are replaced. */
function npmCommand() {
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(MODULES))
    .join(delimiter);
  const env = {
    ...process.env,
    PATH: path,
    // An older npm runs every install script: none of them may fetch an engine that is never used.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_SKIP_POSTINSTALL_GENERATE: "1",
  };
  const script = process.env.npm_execpath;
  if (script === undefined || basename(script) !== "npm-cli.js")
    return { command: "npm", args: [], env };
  const outer = process.env.npm_node_execpath;
  const command = outer !== undefined && !outer.startsWith(MODULES) ? outer : "node";
  return { command, args: [script], env };
}

export async function installPackages() {
  const lockText = lockFile();
  if (areInstalled(lockText)) return;
  if (!alreadyInstalled(lockText) || (!existsSync(NODE) && locksNode(lockText))) {
    const startedMs = Date.now();
    say("installing packages with npm ci (the first time takes about a minute)");
    const { command, args, env } = npmCommand();
    const options = [
      "ci",
      "--include=dev",
      "--include=optional",
      "--loglevel=error",
      "--no-progress",
    ];
    await run("npm ci", command, [...args, ...options], { env });
    say(`packages installed (${seconds(startedMs)})`);
  }
  if (!existsSync(NODE)) linkOwnNode();
  writeFileSync(INSTALL_STAMP, lockHash(lockText));
}

/** The lock file has no Node for every platform; elsewhere the machine's own must be new enough. */
function linkOwnNode() {
  const { platform, arch, execPath, versions } = process;
  if (Number.parseInt(versions.node, 10) < NODE_MAJOR) {
    throw new SetupError(
      `npm has no Node ${NODE_MAJOR} for ${platform} ${arch} and this is ${versions.node}: ` +
        `install Node ${NODE_MAJOR} or newer and run this again`,
    );
  }
  mkdirSync(dirname(NODE), { recursive: true });
  rmSync(NODE, { force: true });
  symlinkSync(execPath, NODE);
}
