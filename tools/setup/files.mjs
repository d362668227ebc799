// Where things are, and digests of what they are made from: something is stale when its digest is not the stored one.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const MODULES = join(ROOT, "node_modules");
/** What every `npm run` finds as `node`: npm links the platform's package of the lock file here. */
export const NODE = join(MODULES, ".bin", "node");

export function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

export function readVersion(name) {
  return JSON.parse(readFileSync(join(MODULES, name, "package.json"), "utf8")).version;
}

/** Every file below a folder in a stable order, without what is generated or installed. */
export function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (["gen", "generated", "node_modules", "migrations"].includes(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

export function computeHash(parts, files) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part}\0`);
  for (const file of files) hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}
