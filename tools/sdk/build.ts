// Makes the SDK as a merchant installs it: plain JavaScript, its types and a package.json of its own.
// `npm run sdk:build [folder]`, by default sdk/typescript/dist.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HOME = join(ROOT, "sdk", "typescript");
const [, , folder = join(HOME, "dist")] = process.argv;

const {
  private: _,
  exports: entries,
  ...described
} = JSON.parse(readFileSync(join(HOME, "package.json"), "utf8")) as {
  private: boolean;
  exports: Record<string, string>;
};
const names = Object.entries(entries).map(([entry, path]) => ({
  entry,
  name: path.replace(/^\.\/src\/(.+)\.ts$/, "$1"),
}));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: HOME,
  entryPoints: names.map(({ name }) => `src/${name}.ts`),
  outdir: folder,
  bundle: true,
  // The entries share nothing that a page or a server would load in vain.
  splitting: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  external: ["node:*"],
  chunkNames: "shared-[hash]",
  logLevel: "warning",
});
const compiler = join(ROOT, "node_modules", ".bin", "tsc");
execFileSync(compiler, ["-p", join(HOME, "tsconfig.build.json"), "--outDir", folder], {
  stdio: "inherit",
  timeout: 120_000,
});
const exported = names.map(({ entry, name }) => [
  entry,
  { types: `./${name}.d.ts`, default: `./${name}.js` },
]);
writeFileSync(
  join(folder, "package.json"),
  `${JSON.stringify({ ...described, exports: Object.fromEntries(exported) }, null, 2)}\n`,
);
copyFileSync(join(HOME, "README.md"), join(folder, "README.md"));
copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
