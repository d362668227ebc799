// Builds a page of `web/`, run in its folder, into `dist/`: files named by their content, each also compressed, and a manifest that the
// gateway reads once at its start.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const HOME = process.cwd();
const DIST = join(HOME, "dist");

const { outputFiles, metafile } = await build({
  absWorkingDir: HOME,
  entryPoints: { [basename(HOME)]: "src/main.tsx", style: "src/style.css" },
  outdir: DIST,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  metafile: true,
  write: false,
  logLevel: "warning",
});

function entry(source) {
  const [path] = Object.entries(metafile.outputs).find(([, made]) => made.entryPoint === source);
  return path.split("/").at(-1);
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
const files = [];
for (const { path, contents } of outputFiles) {
  const name = path.split("/").at(-1);
  writeFileSync(join(DIST, name), contents);
  writeFileSync(join(DIST, `${name}.br`), brotliCompressSync(contents));
  writeFileSync(join(DIST, `${name}.gz`), gzipSync(contents, { level: 9 }));
  files.push(name);
}
const page = readFileSync(join(HOME, "src", "page.html"), "utf8")
  .replace("{script}", entry("src/main.tsx"))
  .replace("{style}", entry("src/style.css"));
writeFileSync(join(DIST, "page.html"), page);
writeFileSync(join(DIST, "manifest.json"), `${JSON.stringify(files.sort())}\n`);
