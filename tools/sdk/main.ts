// Writes what of the SDK and the dashboard follows from the interface: `npm run sdk [folder]`. With --compare it writes
// nothing and fails where the files differ, so that a change of the interface cannot go in without them.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openApiDocument } from "../../services/gateway/src/api/openapi/document.ts";
import { ROUTES } from "../../services/gateway/src/api/table.ts";
import { NEWEST_VERSION } from "../../services/gateway/src/pipeline/versions.ts";
import { writeFilters } from "./write-filters.ts";
import { type Document, interfaceFiles } from "./write-interface.ts";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const BIOME = join(ROOT, "node_modules", ".bin", "biome");
const FORMAT_TIMEOUT_MS = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { compare: { type: "boolean" } },
});
const [folder = join(ROOT, "sdk", "typescript", "src", "api")] = positionals;
const routes = ROUTES.filter(({ auth }) => auth !== "none");
const document = openApiDocument(routes, "https://pay.example") as unknown as Document;
const files = await Promise.all(
  [...interfaceFiles(document, NEWEST_VERSION)].map(async ([name, text]) => {
    return [name, await formatted(name, text)] as const;
  }),
);
const FILTERS = join(ROOT, "web", "dashboard", "src", "api", "filters.ts");
const filters = await formatted("filters.ts", writeFilters(document));
if (values.compare) compare(folder);
else write(folder);

function formatted(name: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ["check", "--write", `--stdin-file-path=sdk/${name}`];
    const options = { cwd: ROOT, timeout: FORMAT_TIMEOUT_MS };
    const child = execFile(BIOME, args, options, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout);
    });
    child.stdin?.end(text);
  });
}

function write(target: string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, "records"), { recursive: true });
  for (const [name, text] of files) writeFileSync(join(target, name), text);
  if (positionals.length === 0) writeFileSync(FILTERS, filters);
}

function compare(target: string): void {
  const there = readdirSync(target, { recursive: true, encoding: "utf8" });
  const known = there.filter((name) => name.endsWith(".ts"));
  const isSame = files.every(([name, text]) => {
    const path = join(target, name);
    return existsSync(path) && readFileSync(path, "utf8") === text;
  });
  if (isSame && known.length === files.length && readFileSync(FILTERS, "utf8") === filters) return;
  console.error(
    "the types of the SDK or the filters of the dashboard are not those of the interface: npm run sdk writes them",
  );
  process.exitCode = 1;
}
