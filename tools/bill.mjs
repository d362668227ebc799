// What npm knows of every package of the lock file, as CycloneDX: made once for all bundles and kept in a cache folder
// under the content of the lock file. Run as a script it makes it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, "node_modules", ".cache", "sbom");
const BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

export function readBill() {
  const lock = readFileSync(join(ROOT, "package-lock.json"));
  const file = join(FOLDER, `${createHash("sha256").update(lock).digest("hex")}.json`);
  if (!existsSync(file)) {
    const text = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: BYTES_MAX,
      timeout: TIMEOUT_MS,
      shell: process.platform === "win32",
    });
    mkdirSync(FOLDER, { recursive: true });
    // Another bundle may read it at any time.
    const written = `${file}.${process.pid}`;
    writeFileSync(written, text);
    renameSync(written, file);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) readBill();
