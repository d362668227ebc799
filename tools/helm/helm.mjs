// Where helm comes from: HELM, else the one on the PATH, else built once from its Go module into a cache folder.
// Run as a script it prints the path. Nothing else is ever downloaded.
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

const VERSION = "v3.19.2";
const MODULE = `helm.sh/helm/v3/cmd/helm@${VERSION}`;
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CACHE = join(ROOT, "node_modules", ".cache", "helm", VERSION);
const BUILD_TIMEOUT_MS = 20 * 60_000;

function answers(command, args) {
  try {
    execFileSync(command, args, { stdio: "ignore", timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/** The path of a helm that is here already, or undefined. */
function presentHelm() {
  const own = join(CACHE, "helm");
  const known = [process.env.HELM, "helm", own].filter(Boolean);
  return known.find((path) => (path === own ? existsSync(own) : answers(path, ["version"])));
}

/** The oldest Go that reads helm's module. */
const GO_MIN = 24;
/** Go before this one cannot list a module as JSON. */
const GO_WITH_MODULES = 14;
/** The Go that an older one downloads as a module of its own; it has helm's newest requirements. */
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

/** What is missing for having a helm at all, or undefined. */
export function missingHelm() {
  return presentHelm() === undefined && readGoVersion() < GO_WITH_MODULES
    ? "helm, or Go to build it"
    : undefined;
}

/** The Go that builds helm: the one on the PATH, or a newer one that it downloads as a module. */
async function obtainGo() {
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

/** The path of helm; the first time on a machine without it this takes some minutes. */
export async function obtainHelm(say = () => {}) {
  const present = presentHelm();
  if (present !== undefined) return present;
  mkdirSync(CACHE, { recursive: true });
  return alone(async () => {
    if (existsSync(join(CACHE, "helm"))) return join(CACHE, "helm");
    say(`building helm ${VERSION} from its Go module (once, some minutes)`);
    const { command, env } = await obtainGo();
    await promisify(execFile)(command, ["install", "-ldflags", "-s -w", MODULE], {
      env: { ...env, GOBIN: CACHE, CGO_ENABLED: "0" },
      timeout: BUILD_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return join(CACHE, "helm");
  });
}

/** Test files in several processes want helm at once; one builds it, the others wait for it. */
async function alone(act) {
  const lock = join(CACHE, "building");
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = missingHelm();
  if (missing !== undefined) {
    process.stderr.write(`missing: ${missing}\n`);
    process.exit(1);
  }
  const path = await obtainHelm((line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${path}\n`);
}
