// What `npm start` and `npm test` run first: packages, then generated code, each only when it is stale.
// Plain JavaScript without a dependency, because a fresh clone has nothing else yet; it is the only
// file that must also run on Node 20. The rest of the product runs on the Node 24 that this step installs.
// A run that finds nothing stale takes a few milliseconds of work; a failed run leaves no stamp behind.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, "node_modules");
/** What every `npm run` finds as `node`: npm links the platform's package of the lock file here. */
const NODE = join(MODULES, ".bin", "node");
const NODE_MAJOR = 24;
const INSTALL_STAMP = join(MODULES, ".installed");
const LOCK = join(ROOT, ".data", "setup.lock");
const FIRST_LINES = 4;
const LAST_LINES = 10;
const LOCK_TIMEOUT_MS = 15 * 60_000;

class SetupError extends Error {}

function say(text) {
  return process.stdout.write(`set-up: ${text}\n`);
}

function seconds(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function versionOf(name) {
  return JSON.parse(readFileSync(join(MODULES, name, "package.json"), "utf8")).version;
}

/** Every file below a folder in a stable order, without what is generated or installed. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (["gen", "generated", "node_modules", "migrations"].includes(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

function hashOf(parts, files) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part}\0`);
  for (const file of files) hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

/** The first and last lines of a tool's output: npm prints the reason first, a compiler last. */
function createExcerpt() {
  const first = [];
  const last = [];
  function add(chunk) {
    for (const line of String(chunk)
      .split("\n")
      .filter((text) => text.trim() !== "")) {
      if (first.length < FIRST_LINES) first.push(line);
      else last.push(line);
    }
    last.splice(0, Math.max(0, last.length - LAST_LINES));
  }

  return { add, lines: () => [...first, ...last].map((line) => `  | ${line}`).join("\n") };
}

/** Runs a tool without output; its output is shown only when it fails. */
function run(what, command, args, { cwd = ROOT, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const startedMs = Date.now();
    const excerpt = createExcerpt();
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", excerpt.add);
    child.stderr.on("data", excerpt.add);
    const progress = setInterval(
      () => say(`${what}: still working (${seconds(startedMs)})`),
      10_000,
    );
    child.once("error", (error) => {
      clearInterval(progress);
      const missing = error.code === "ENOENT" ? `"${command}" was not found` : error.message;
      reject(new SetupError(`${what} could not start: ${missing}`));
    });
    child.once("close", (code, signal) => {
      clearInterval(progress);
      if (code === 0) return resolve();
      reject(
        new SetupError(`${what} failed (${signal ?? `exit code ${code}`})\n${excerpt.lines()}`),
      );
    });
  });
}

/** True when npm itself has recorded exactly the packages of the lock file, for instance after a manual `npm ci`. */
function alreadyInstalled(lockText) {
  const recorded = readIfThere(join(MODULES, ".package-lock.json"));
  if (recorded === undefined) return false;
  const there = JSON.parse(recorded).packages;
  return Object.entries(JSON.parse(lockText).packages).every(
    ([path, { version, optional, devOptional, peer }]) => {
      const skippable = path === "" || optional || devOptional || peer;
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

async function installPackages() {
  const lockText = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  const wanted = hashOf([lockText], []);
  if (readIfThere(INSTALL_STAMP) === wanted && existsSync(NODE)) return;
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
  writeFileSync(INSTALL_STAMP, wanted);
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

function generationEnv() {
  return {
    ...process.env,
    PATH: [join(MODULES, ".bin"), process.env.PATH ?? ""].join(delimiter),
    // Prisma asks for the path of an engine that generation never runs; any executable spares the download.
    PRISMA_SCHEMA_ENGINE_BINARY: NODE,
    CHECKPOINT_DISABLE: "1",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
  };
}

function protoUnit() {
  return {
    what: "messages from proto",
    output: join(ROOT, "proto", "gen"),
    cwd: join(ROOT, "proto"),
    command: join(MODULES, ".bin", "buf"),
    args: ["generate"],
    hash: hashOf(
      ["@bufbuild/buf", "@bufbuild/protoc-gen-es"].map(versionOf),
      filesBelow(join(ROOT, "proto")).filter((file) => /\.(proto|yaml)$/.test(file)),
    ),
  };
}

function prismaUnit(folder) {
  return {
    what: `database client of ${folder}`,
    output: join(ROOT, folder, "src", "generated", "prisma"),
    cwd: join(ROOT, folder),
    command: NODE,
    args: [join(MODULES, "prisma", "build", "index.js"), "generate"],
    hash: hashOf(
      [versionOf("prisma"), readIfThere(join(ROOT, "tools", "prisma-columns.mjs")) ?? ""],
      filesBelow(join(ROOT, folder, "prisma")),
    ),
  };
}

/** What shoppers' browsers load is built; everything else runs as it is written. */
function pageUnits() {
  const script = join(ROOT, "tools", "page.mjs");
  const names = existsSync(join(ROOT, "web")) ? readdirSync(join(ROOT, "web")) : [];
  const homes = names.map((name) => join(ROOT, "web", name));
  const sdk = join(ROOT, "sdk", "typescript", "src");
  return homes
    .filter((home) => existsSync(join(home, "package.json")))
    .map((home) => ({
      what: `the page ${basename(home)}`,
      output: join(home, "dist"),
      cwd: home,
      command: NODE,
      args: [script],
      hash: hashOf(
        [versionOf("esbuild")],
        [script, join(home, "package.json"), ...filesBelow(join(home, "src")), ...filesBelow(sdk)],
      ),
    }));
}

/** Not every service uses Prisma's client: a schema without a generator is only for migrations. */
function withClient() {
  return [
    ...readdirSync(join(ROOT, "services")).map((name) => `services/${name}`),
    "libs/database/test/sample",
  ].filter((folder) =>
    /^generator /m.test(readIfThere(join(ROOT, folder, "prisma", "schema.prisma")) ?? ""),
  );
}

/** The stamp lies inside the output, so that deleting generated code is enough to have it made again. */
function stampOf(unit) {
  return join(unit.output, ".generated-from");
}

function staleUnits() {
  return [protoUnit(), ...pageUnits(), ...withClient().map(prismaUnit)].filter(
    (unit) => readIfThere(stampOf(unit)) !== unit.hash,
  );
}

async function generate() {
  const queue = staleUnits();
  async function worker() {
    for (let unit = queue.shift(); unit !== undefined; unit = queue.shift()) {
      const startedMs = Date.now();
      rmSync(stampOf(unit), { force: true });
      await run(`generating ${unit.what}`, unit.command, unit.args, {
        cwd: unit.cwd,
        env: generationEnv(),
      });
      writeFileSync(stampOf(unit), unit.hash);
      say(`generated ${unit.what} (${seconds(startedMs)})`);
    }
  }

  await Promise.all([worker(), worker()]);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

/** Two first runs at once, one per terminal, must not install over each other: the second waits for the first. */
async function withLock(act) {
  mkdirSync(dirname(LOCK), { recursive: true });
  const deadlineMs = Date.now() + LOCK_TIMEOUT_MS;
  let reported = false;
  while (!tryLock()) {
    const holder = Number(readIfThere(LOCK));
    const crashed = Number.isInteger(holder) && holder > 0 && !isAlive(holder);
    const abandoned = !holder && existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > 5_000;
    if (crashed || abandoned) rmSync(LOCK, { force: true });
    else if (Date.now() > deadlineMs)
      throw new SetupError(`process ${holder} holds ${LOCK} for too long; delete it`);
    else {
      if (!reported) say(`another set-up is running (process ${holder}); waiting for it`);
      reported = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  function release() {
    return rmSync(LOCK, { force: true });
  }

  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  await act();
}

function isFresh() {
  return (
    existsSync(NODE) &&
    readIfThere(INSTALL_STAMP) ===
      hashOf([readFileSync(join(ROOT, "package-lock.json"), "utf8")], []) &&
    staleUnits().length === 0
  );
}

async function main() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20)
    throw new SetupError(`Node 20 or newer is needed to install; this is ${process.version}`);
  if (isFresh()) return;
  await withLock(async () => {
    await installPackages();
    await generate();
  });
}

main().catch((error) => {
  const known = error instanceof SetupError;
  process.stderr.write(`set-up: ${known ? error.message : (error.stack ?? error)}\n`);
  process.exit(1);
});
