// What `npm start` and `npm test` run first: packages, then generated code, each only when it is stale.
// Plain JavaScript without a dependency, because on a fresh clone nothing else is there yet; it is the only
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
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, "node_modules");
const NODE = join(MODULES, "node", "bin", "node");
const INSTALL_STAMP = join(MODULES, ".installed");
const LOCK = join(ROOT, ".data", "setup.lock");
const FIRST_LINES = 4;
const LAST_LINES = 10;
const LOCK_TIMEOUT_MS = 15 * 60_000;

class SetupError extends Error {}

const say = (text) => process.stdout.write(`set-up: ${text}\n`);
const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
const readIfThere = (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
const versionOf = (name) =>
  JSON.parse(readFileSync(join(MODULES, name, "package.json"), "utf8")).version;

/** Every file below a folder in a stable order, without what is generated or installed. */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (["gen", "generated", "node_modules", "migrations"].includes(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });

const hashOf = (parts, files) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part}\0`);
  for (const file of files) hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
};

/** The first and the last lines of what a tool said: npm puts the reason first, a compiler puts it last. */
const createExcerpt = () => {
  const first = [];
  const last = [];
  const add = (chunk) => {
    for (const line of String(chunk)
      .split("\n")
      .filter((text) => text.trim() !== "")) {
      if (first.length < FIRST_LINES) first.push(line);
      else last.push(line);
    }
    last.splice(0, Math.max(0, last.length - LAST_LINES));
  };
  return { add, lines: () => [...first, ...last].map((line) => `  | ${line}`).join("\n") };
};

/** Runs a tool quietly; what it said is shown only when it fails. */
const run = (what, command, args, { cwd = ROOT, env = process.env } = {}) =>
  new Promise((resolve, reject) => {
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

/** True when npm itself has recorded the very packages of the lock file, for instance after a manual `npm ci`. */
const alreadyInstalled = (lockText) => {
  const recorded = readIfThere(join(MODULES, ".package-lock.json"));
  if (recorded === undefined) return false;
  const there = JSON.parse(recorded).packages;
  return Object.entries(JSON.parse(lockText).packages).every(
    ([path, { version, optional, devOptional, peer }]) => {
      const skippable = path === "" || optional || devOptional || peer;
      return there[path] === undefined ? skippable : there[path].version === version;
    },
  );
};

/** npm with the machine's own Node: the one below node_modules disappears while packages are replaced. */
const npmCommand = () => {
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(MODULES))
    .join(delimiter);
  const env = {
    ...process.env,
    PATH: path,
    // An older npm runs every install script: none of them may fetch an engine that is never used, or report home.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_SKIP_POSTINSTALL_GENERATE: "1",
    SCARF_ANALYTICS: "false",
  };
  const script = process.env.npm_execpath;
  if (script === undefined || basename(script) !== "npm-cli.js")
    return { command: "npm", args: [], env };
  const outer = process.env.npm_node_execpath;
  const command = outer !== undefined && !outer.startsWith(MODULES) ? outer : "node";
  return { command, args: [script], env };
};

const installPackages = async () => {
  const lockText = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  const wanted = hashOf([lockText], []);
  if (readIfThere(INSTALL_STAMP) === wanted && existsSync(NODE)) return;
  if (!alreadyInstalled(lockText) || !existsSync(NODE)) {
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
  if (!existsSync(NODE)) {
    throw new SetupError(
      "npm installed no Node 24 (node_modules/node/bin/node): is ignore-scripts set in an npmrc?",
    );
  }
  writeFileSync(INSTALL_STAMP, wanted);
};

const generationEnv = () => ({
  ...process.env,
  PATH: [join(MODULES, ".bin"), process.env.PATH ?? ""].join(delimiter),
  // Prisma asks for the path of an engine that generation never runs; any executable spares the download.
  PRISMA_SCHEMA_ENGINE_BINARY: NODE,
  CHECKPOINT_DISABLE: "1",
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
});

const protoUnit = () => ({
  what: "messages from proto",
  output: join(ROOT, "proto", "gen"),
  cwd: join(ROOT, "proto"),
  command: join(MODULES, ".bin", "buf"),
  args: ["generate"],
  hash: hashOf(
    ["@bufbuild/buf", "@bufbuild/protoc-gen-es"].map(versionOf),
    filesBelow(join(ROOT, "proto")).filter((file) => /\.(proto|yaml)$/.test(file)),
  ),
});

const prismaUnit = (folder) => ({
  what: `database client of ${folder}`,
  output: join(ROOT, folder, "src", "generated", "prisma"),
  cwd: join(ROOT, folder),
  command: NODE,
  args: [join(MODULES, "prisma", "build", "index.js"), "generate"],
  hash: hashOf([versionOf("prisma")], filesBelow(join(ROOT, folder, "prisma"))),
});

const withSchema = () =>
  [
    ...readdirSync(join(ROOT, "services")).map((name) => `services/${name}`),
    "libs/database/test/sample",
  ].filter((folder) => existsSync(join(ROOT, folder, "prisma", "schema.prisma")));

/** The stamp lies inside the output, so that deleting generated code is enough to have it made again. */
const stampOf = (unit) => join(unit.output, ".generated-from");

const staleUnits = () =>
  [protoUnit(), ...withSchema().map(prismaUnit)].filter(
    (unit) => readIfThere(stampOf(unit)) !== unit.hash,
  );

const generate = async () => {
  const queue = staleUnits();
  const worker = async () => {
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
  };
  await Promise.all([worker(), worker()]);
};

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
};

const tryLock = () => {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
};

/** Two first runs at once, one per terminal, must not install over each other: the second waits for the first. */
const withLock = async (act) => {
  mkdirSync(dirname(LOCK), { recursive: true });
  const deadlineMs = Date.now() + LOCK_TIMEOUT_MS;
  let told = false;
  while (!tryLock()) {
    const holder = Number(readIfThere(LOCK));
    const crashed = Number.isInteger(holder) && holder > 0 && !isAlive(holder);
    const abandoned = !holder && existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > 5_000;
    if (crashed || abandoned) rmSync(LOCK, { force: true });
    else if (Date.now() > deadlineMs)
      throw new SetupError(`process ${holder} holds ${LOCK} for too long; delete it`);
    else {
      if (!told) say(`another set-up is under way (process ${holder}); waiting for it`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const release = () => rmSync(LOCK, { force: true });
  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  await act();
};

const isFresh = () =>
  existsSync(NODE) &&
  readIfThere(INSTALL_STAMP) ===
    hashOf([readFileSync(join(ROOT, "package-lock.json"), "utf8")], []) &&
  staleUnits().length === 0;

const main = async () => {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20)
    throw new SetupError(`Node 20 or newer is needed to install; this is ${process.version}`);
  if (isFresh()) return;
  await withLock(async () => {
    await installPackages();
    await generate();
  });
};

main().catch((error) => {
  const known = error instanceof SetupError;
  process.stderr.write(`set-up: ${known ? error.message : (error.stack ?? error)}\n`);
  process.exit(1);
});
