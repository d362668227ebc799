// Packages of Python that tests call, each once in an environment of its own in a cache folder.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));
const INSTALL_TIMEOUT_MS = 10 * 60_000;

export interface PythonPackage {
  name: string;
  version: string;
}

function getFolder({ name, version }: PythonPackage): string {
  return resolve(CACHE, name, version);
}

/** What a machine lacks for the package, or undefined. */
export function missingPython(wanted: PythonPackage): string | undefined {
  if (existsSync(join(getFolder(wanted), "installed"))) return undefined;
  const status = spawnSync("python3", ["-c", "import ensurepip, venv"]).status;
  return status === 0 ? undefined : `no Python with venv to install ${wanted.name}`;
}

/** The folder of the programs that come with the package, `python` among them. */
export async function obtainPython(wanted: PythonPackage): Promise<string> {
  const folder = getFolder(wanted);
  const programs = join(folder, "bin");
  if (existsSync(join(folder, "installed"))) return programs;
  rmSync(folder, { recursive: true, force: true });
  const options = { timeout: INSTALL_TIMEOUT_MS };
  await promisify(execFile)("python3", ["-m", "venv", folder], options);
  const pip = ["-m", "pip", "install", "--quiet", `${wanted.name}==${wanted.version}`];
  await promisify(execFile)(join(programs, "python"), pip, options);
  mkdirSync(join(folder, "installed"));
  return programs;
}
