// Where helm comes from: HELM, else the one on the PATH, else built once from its Go module into a cache folder.
// Run as a script it prints the path. Nothing else is ever downloaded.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** What helm's module asks for; an older Go cannot even read that. */
const GO_MIN = 24;

function isGoThere() {
  try {
    const said = execFileSync("go", ["version"], { encoding: "utf8", timeout: 20_000 });
    return Number(/go1\.(\d+)/.exec(said)?.[1]) >= GO_MIN;
  } catch {
    return false;
  }
}

/** What is missing for having a helm at all, or undefined. */
export function missingHelm() {
  return presentHelm() === undefined && !isGoThere()
    ? `helm, or Go 1.${GO_MIN} or newer to build it`
    : undefined;
}

/** The path of helm; the first time on a machine without it this takes some minutes. */
export async function obtainHelm(say = () => {}) {
  const present = presentHelm();
  if (present !== undefined) return present;
  mkdirSync(CACHE, { recursive: true });
  return alone(async () => {
    if (existsSync(join(CACHE, "helm"))) return join(CACHE, "helm");
    say(`building helm ${VERSION} from its Go module (once, some minutes)`);
    await promisify(execFile)("go", ["install", "-ldflags", "-s -w", MODULE], {
      env: { ...process.env, GOBIN: CACHE, CGO_ENABLED: "0" },
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
