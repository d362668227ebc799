// Programs built from their Go modules, each once, into a cache folder.
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CACHE = join(ROOT, "node_modules", ".cache");
const BUILD_TIMEOUT_MS = 20 * 60_000;

/** The oldest Go that reads these modules. */
const GO_MIN = 25;
/** Go before this one cannot list a module as JSON. */
const GO_WITH_MODULES = 14;
/** The Go that an older one downloads as a module of its own; it has the programs' newest requirements. */
const TOOLCHAIN = "v0.0.1-go1.25.0";
const GO_PLATFORMS = { x64: "amd64", arm64: "arm64" };

/** The minor version of the Go on the PATH, or 0. */
function readGoVersion() {
  try {
    const printed = execFileSync("go", ["version"], { encoding: "utf8", timeout: 20_000 });
    return Number(/go1\.(\d+)/.exec(printed)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export function isGoMissing() {
  return readGoVersion() < GO_WITH_MODULES;
}

function getFolder({ name, version }) {
  return join(CACHE, name, version);
}

export function getProgramPath(program) {
  return join(getFolder(program), program.name);
}

/** The Go on the PATH, or a newer one that it downloads as a module into its own cache. */
export async function obtainGo() {
  if (readGoVersion() >= GO_MIN) return { command: "go", env: process.env };
  const platform = `${process.platform}-${GO_PLATFORMS[process.arch]}`;
  const { stdout } = await promisify(execFile)(
    "go",
    ["mod", "download", "-json", `golang.org/toolchain@${TOOLCHAIN}.${platform}`],
    { cwd: CACHE, timeout: BUILD_TIMEOUT_MS },
  );
  const root = JSON.parse(stdout).Dir;
  // Files of a module cannot be executed.
  for (const folder of ["bin", `pkg/tool/${platform.replace("-", "_")}`]) {
    for (const name of readdirSync(join(root, folder))) chmodSync(join(root, folder, name), 0o755);
  }
  return { command: join(root, "bin", "go"), env: { ...process.env, GOROOT: root } };
}

/** The path of the program; `onBuild` is called where it has to be built. */
export async function buildProgram(program, options = [], onBuild = () => {}) {
  const [folder, path] = [getFolder(program), getProgramPath(program)];
  if (existsSync(path)) return path;
  return alone(program.name, async () => {
    if (existsSync(path)) return path;
    mkdirSync(folder, { recursive: true });
    onBuild();
    const { command, env } = await obtainGo();
    const wanted = `${program.module}@${program.version}`;
    await promisify(execFile)(command, ["install", ...options, wanted], {
      env: { ...env, GOBIN: folder, CGO_ENABLED: "0" },
      timeout: BUILD_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return path;
  });
}

/** Test files in several processes want a program at once; one gets it, the others wait for it. */
export async function alone(name, act) {
  mkdirSync(CACHE, { recursive: true });
  const lock = join(CACHE, `${name}.lock`);
  while (!tryLock(lock)) await new Promise((resolve) => setTimeout(resolve, 500));
  try {
    return await act();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0);
  } catch {
    rmSync(lock, { force: true }); // The process that built it has ended.
  }
  return false;
}
