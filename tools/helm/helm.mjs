// Where helm comes from: HELM, else the one on the PATH, else built once from its Go module into a cache folder.
// Run as a script it prints the path. Nothing else is ever downloaded.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildProgram, getProgramPath, isGoMissing } from "../go/programs.mjs";

const VERSION = "v3.19.2";
const PROGRAM = { name: "helm", module: "helm.sh/helm/v3/cmd/helm", version: VERSION };

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
  const own = getProgramPath(PROGRAM);
  const known = [process.env.HELM, "helm", own].filter(Boolean);
  return known.find((path) => (path === own ? existsSync(own) : answers(path, ["version"])));
}

/** What is missing for having a helm at all, or undefined. */
export function missingHelm() {
  return presentHelm() === undefined && isGoMissing() ? "helm, or Go to build it" : undefined;
}

/** The path of helm; the first time on a machine without it this takes some minutes. */
export async function obtainHelm(say = () => {}) {
  const present = presentHelm();
  if (present !== undefined) return present;
  return buildProgram(PROGRAM, ["-ldflags", "-s -w"], () =>
    say(`building helm ${VERSION} from its Go module (once, some minutes)`),
  );
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
