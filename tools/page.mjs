// Builds a page of `web/`, run in its folder, into `dist/`: files named by their content, each also compressed, and a
// manifest that the gateway reads once at its start.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, parse } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { mergeChunks } from "./merge-chunks.mjs";
import { formatNotices, listBundled } from "./notices.mjs";

const LIGHT_DARK = "light-dark(";

/** The arguments of the call that begins at an offset, and where it ends. */
function readCall(text, from) {
  const args = [""];
  let depth = 0;
  for (let at = from + LIGHT_DARK.length; ; at++) {
    const character = text[at];
    if (character === ")" && depth === 0)
      return { args: args.map((arg) => arg.trim()), end: at + 1 };
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) args.push("");
    else args[args.length - 1] += character;
  }
}

/** A value with the light (0) or the dark (1) side of each pair. */
function chooseSide(value, side) {
  const at = value.indexOf(LIGHT_DARK);
  if (at === -1) return value;
  const { args, end } = readCall(value, at);
  return value.slice(0, at) + args[side] + chooseSide(value.slice(end), side);
}

/**
 * Browsers of wallets are old: `light-dark()` becomes one rule for each theme, by the system and by the page's choice.
 */
function lowerThemes(css) {
  const dark = [...css.matchAll(/^\s*(--[\w-]+): (.*light-dark\(.*);$/gm)]
    .map(([, name, value]) => `${name}: ${chooseSide(value, 1)};`)
    .join("\n");
  return `${chooseSide(css, 0)}
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${dark} } }
:root[data-theme="dark"] { ${dark} }
`;
}

/** Without the tokens that this page does not use; one may stand only in another's value. */
function dropUnusedTokens(css) {
  const used = css.replace(/(--[\w-]+):[^;{}]*;?/g, (declaration, name) =>
    css.includes(`var(${name})`) || css.includes(`var(${name},`) ? declaration : "",
  );
  return used === css ? css : dropUnusedTokens(used);
}

const themes = {
  name: "themes",
  setup: ({ onLoad }) =>
    onLoad({ filter: /tokens\.css$/ }, ({ path }) => ({
      contents: lowerThemes(readFileSync(path, "utf8")),
      loader: "css",
    })),
};

/**
 * Without its assertions about itself, which hold for every text that a code can carry; without the levels of
 * correction and the border, for which no page asks; and without the shorter codes of digits or capitals alone.
 */
const leanQrCode = {
  name: "lean QR code",
  setup: ({ onLoad }) =>
    onLoad({ filter: /uqr.dist.index\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replace(/if \(.*\)\s+throw new (?:Range)?Error\(["`](?!Data too long).*["`]\);/g, "")
        .replace(/\[-1, [\d, ]+\](?=,?\s+\/\/ (?:Low|Quartile|High)$)/gm, "[]")
        .replace(/if \(!border\)\s+return input;[\s\S]*?(?=return input;)/, "")
        .replace(/else if \(is(?:Numeric|Alphanumeric)\(text\)\)\s+return .*;/g, ""),
      loader: "js",
    })),
};

/**
 * React is no module yet. Imported through one, its functions are called by name and not looked up in a copy of all of
 * them that each importer makes.
 */
const reactAsModule = {
  name: "React as a module",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^react(-dom)?(\/.+)?$/ }, ({ path, kind, namespace, resolveDir }) =>
      kind === "import-statement" && namespace !== "react"
        ? { path, namespace: "react", pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /./, namespace: "react" }, ({ path, pluginData: resolveDir }) => {
      const names = Object.keys(createRequire(join(resolveDir, "page.js"))(path));
      return {
        contents: `import all from "${path}"; export default all; export const { ${names} } = all;`,
        resolveDir,
      };
    });
  },
};

const HOME = process.cwd();
const SOURCE = join(HOME, "src");
const DIST = join(HOME, "dist");

/** Pages name their script and style in braces, e.g. `{main.tsx}`. */
const PLACE = /\{([\w-]+\.(?:tsx?|css))\}/g;

const pages = new Map(
  readdirSync(SOURCE)
    .filter((name) => name.endsWith(".html"))
    .map((name) => [name, readFileSync(join(SOURCE, name), "utf8")]),
);
const entries = new Set(
  [...pages.values()].flatMap((page) => [...page.matchAll(PLACE)].map(([, source]) => source)),
);

/** The main script has the name of its folder, for the reader of a list of files. */
function entryName(source) {
  const { name } = parse(source);
  return name === "main" ? basename(HOME) : name;
}

const settings = {
  minify: true,
  format: "esm",
  target: ["es2022", "safari15"],
  charset: "utf8",
  logLevel: "warning",
};
const { outputFiles, metafile } = await build({
  ...settings,
  absWorkingDir: HOME,
  entryPoints: [...entries].map((source) => ({ in: `src/${source}`, out: entryName(source) })),
  outdir: DIST,
  bundle: true,
  splitting: true,
  loader: { ".woff2": "file" },
  assetNames: "[name]-[hash]",
  plugins: [themes, leanQrCode, reactAsModule],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  metafile: true,
  write: false,
});

/** As it is sent, and under a name of just that: browsers keep a file for as long as its name stays. */
function finishStyle(name, text) {
  const contents = dropUnusedTokens(text);
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 8).toUpperCase();
  return { name: name.replace(/-[A-Z0-9]{8}\.css$/, `-${hash}.css`), contents };
}

function findEntry(source) {
  const [path] = Object.entries(metafile.outputs).find(([, made]) => made.entryPoint === source);
  return basename(path);
}

function isScript(name) {
  return name.endsWith(".js");
}

const { scripts, rename } = await mergeChunks({
  metafile,
  settings,
  texts: new Map(
    outputFiles.flatMap(({ path, text }) => (isScript(path) ? [[basename(path), text]] : [])),
  ),
  main: findEntry("src/main.tsx"),
  entries: [...entries].map((source) => findEntry(`src/${source}`)).filter(isScript),
});
const outputs = new Map(
  outputFiles.flatMap(({ path, contents, text }) => {
    const name = basename(path);
    if (isScript(name)) return [];
    return [[name, name.endsWith(".css") ? finishStyle(name, text) : { name, contents }]];
  }),
);
for (const [name, contents] of scripts) outputs.set(name, { name, contents });

function entry(source) {
  return outputs.get(rename(findEntry(source))).name;
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
const bundled = listBundled(metafile, HOME);
writeFileSync(join(DIST, "THIRD-PARTY-NOTICES"), formatNotices(bundled));
writeFileSync(join(DIST, "packages.json"), JSON.stringify(bundled.map(({ id }) => id)));
const files = [];

function write(name, contents) {
  writeFileSync(join(DIST, name), contents);
  writeFileSync(join(DIST, `${name}.br`), brotliCompressSync(contents));
  writeFileSync(join(DIST, `${name}.gz`), gzipSync(contents, { level: 9 }));
}

for (const { name, contents } of outputs.values()) {
  write(name, contents);
  files.push(name);
}
const font = files.find((name) => /^geist-(?!mono)/.test(name)) ?? "";
for (const [name, page] of pages) {
  const filled = page.replace("{font}", font).replace(PLACE, (_, source) => entry(`src/${source}`));
  write(name, filled);
}
writeFileSync(join(DIST, "manifest.json"), `${JSON.stringify(files.sort())}\n`);
