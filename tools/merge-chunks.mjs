// Joins the chunks that a page's main script always loads, and the small ones that its pages share, into that script,
// so that a browser makes one request in place of a dozen. The bundler puts what pages share into chunks of their own;
// here they take it from the main script.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { build } from "esbuild";

const IMPORT = /import\{([^}]*)\}from"\.\/([\w-]+\.js)";?/g;
const BARE_IMPORT = /import"\.\/([\w-]+\.js)";?/g;
const FILE = /[\w-]+-[A-Z0-9]{8}\.js/g;

/** Requested alone, so small a chunk takes longer than its bytes do. */
const SMALL = 2_000;

/** Names of the files that a script imports, itself included. */
function collect(name, outputs, known = new Set()) {
  if (known.has(name)) return known;
  known.add(name);
  for (const needed of listImports(name, outputs)) collect(needed, outputs, known);
  return known;
}

/** The names of files that a script cannot do without. */
function listImports(name, outputs) {
  const { imports } = outputs.get(name);
  return imports.flatMap(({ path, kind }) => (kind === "import-statement" ? [basename(path)] : []));
}

/** With each small chunk that needs nothing but other parts. */
function addSmallChunks(parts, outputs, texts) {
  const more = [...texts].flatMap(([name, { length }]) =>
    !parts.has(name) &&
    /^chunk-/.test(name) &&
    length < SMALL &&
    listImports(name, outputs).every((needed) => parts.has(needed))
      ? [name]
      : [],
  );
  return more.length === 0 ? parts : addSmallChunks(new Set([...parts, ...more]), outputs, texts);
}

function hash(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
}

/** One file, which exports under names of its own what others import from its parts. */
async function join({ main, parts, outputs, texts, settings }) {
  const lines = [`import "./${main}";`];
  for (const part of parts) {
    const names = outputs
      .get(part)
      .exports.map((name) => `${name} as ${toExport(parts, part, name)}`);
    if (names.length > 0) lines.push(`export { ${names.join(", ")} } from "./${part}";`);
  }
  const files = {
    name: "files",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^\.\// }, ({ path }) => {
        const name = basename(path);
        return parts.includes(name) ? { path: name, namespace: "parts" } : { path, external: true };
      });
      onLoad({ filter: /./, namespace: "parts" }, ({ path }) => ({ contents: texts.get(path) }));
    },
  };
  const { outputFiles } = await build({
    ...settings,
    stdin: { contents: lines.join("\n") },
    bundle: true,
    write: false,
    plugins: [files],
  });
  return outputFiles[0].text;
}

function toExport(parts, part, name) {
  return `p${parts.indexOf(part)}${name}`;
}

/** A script that takes from the main script what it took from the parts of it. */
function importFromMain(text, { main, parts, ofOthers }) {
  const taken = [];
  const rest = text
    .replace(IMPORT, (all, names, from) => {
      if (!parts.includes(from)) return all;
      for (const one of names.split(",")) {
        const [name, as = name] = one.split(" as ");
        taken.push(`${toExport(parts, from, name)} as ${as}`);
      }
      return "";
    })
    .replace(BARE_IMPORT, (all, from) => (parts.includes(from) ? "" : all));
  const left = [...parts, ...ofOthers].find((part) => part !== main && rest.includes(part));
  if (left !== undefined) throw new Error(`${left} is imported in a way that is not known`);
  return taken.length === 0 ? rest : `import{${taken.join(",")}}from"./${main}";${rest}`;
}

/**
 * The scripts of a build by their names, with the main script and its chunks as one. A name changes with the content of
 * the main script, because browsers keep a file for as long as its name stays.
 */
export async function mergeChunks({ metafile, texts, main, entries, settings }) {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const ofOthers = new Set(
    entries.filter((entry) => entry !== main).flatMap((entry) => [...collect(entry, outputs)]),
  );
  const parts = [...addSmallChunks(collect(main, outputs), outputs, texts)].sort();
  const joined = await join({ main, parts, outputs, texts, settings });
  const release = hash(joined);
  const merged = new Map([[main, joined]]);
  for (const [name, text] of texts) {
    if (ofOthers.has(name)) merged.set(name, text);
    else if (!parts.includes(name))
      merged.set(name, importFromMain(text, { main, parts, ofOthers }));
  }
  function rename(name) {
    if (!merged.has(name) || ofOthers.has(name)) return name;
    return name.replace(/-[A-Z0-9]{8}\.js$/, `-${hash(name + release)}.js`);
  }

  return {
    rename,
    scripts: new Map(
      [...merged].map(([name, text]) => [rename(name), text.replace(FILE, (file) => rename(file))]),
    ),
  };
}
