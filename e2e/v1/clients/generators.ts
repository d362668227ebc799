// Clients that others generate from the OpenAPI document: each tool is installed once into a cache folder, its client
// is compiled, and a program around it is run. A tool that warns fails.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { missingPython, obtainPython } from "@pay/testing";
import { build } from "esbuild";
import { buildProgram, isGoMissing, obtainGo } from "../../../tools/go/programs.mjs";
import { GO, PYTHON, TYPESCRIPT } from "./programs.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_MAX = 16 * 1024 * 1024;

type Environment = Record<string, string | undefined>;

interface Generator {
  language: string;
  /** What the machine lacks, or undefined. */
  findMissing(): string | undefined;
  /** Gives what the program prints; the folder has `openapi.json`. */
  run(folder: string, environment: Environment): Promise<string>;
}

const OF_PYTHON = { name: "openapi-python-client", version: "0.29.1" };
const OF_GO = {
  name: "oapi-codegen",
  module: "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
  version: "v2.8.2",
};
const RUNTIME_OF_GO = "github.com/oapi-codegen/runtime v1.7.0";
/** The compiler whose interface the generator calls; what it generates is compiled with ours. */
const OF_TYPESCRIPT = ["@hey-api/openapi-ts@0.99.0", "typescript@5.9.3"];

export const GENERATORS: readonly Generator[] = [
  {
    language: "Python",
    findMissing: () => missingPython(OF_PYTHON),
    run: async (folder, environment) => {
      const programs = await obtainPython(OF_PYTHON);
      writeFileSync(join(folder, "settings.yaml"), "post_hooks: []\n");
      const options = ["--path", "openapi.json", "--output-path", "client", "--meta", "none"];
      const strict = ["--config", "settings.yaml", "--fail-on-warning"];
      const tool = join(programs, OF_PYTHON.name);
      await run(folder, {}, [tool, "generate", ...options, ...strict]);
      writeFileSync(join(folder, "main.py"), PYTHON);
      return run(folder, environment, [join(programs, "python"), "main.py"]);
    },
  },
  {
    language: "Go",
    findMissing: () => (isGoMissing() ? "no Go to build oapi-codegen" : undefined),
    run: async (folder, environment) => {
      const tool = await buildProgram(OF_GO);
      const options = ["-generate", "types,client", "-package", "main", "-o", "client.go"];
      await run(folder, {}, [tool, ...options, "openapi.json"]);
      writeFileSync(join(folder, "main.go"), GO);
      const required = `module example.com/shop\n\ngo 1.24\n\nrequire ${RUNTIME_OF_GO}\n`;
      writeFileSync(join(folder, "go.mod"), required);
      const go = await obtainGo();
      const all = { ...go.env, ...environment, CGO_ENABLED: "0" };
      return run(folder, all, [go.command, "run", "-mod=mod", "."]);
    },
  },
  {
    language: "TypeScript",
    findMissing: () => undefined,
    run: async (folder, environment) => {
      const packages = await obtainPackages("openapi-ts", OF_TYPESCRIPT);
      const options = [
        "--input",
        "openapi.json",
        "--output",
        "client",
        "--no-log-file",
        "--plugins",
      ];
      const plugins = ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"];
      await run(folder, {}, [join(packages, ".bin/openapi-ts"), ...options, ...plugins]);
      writeFileSync(join(folder, "main.ts"), TYPESCRIPT);
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER }));
      await run(folder, {}, [join(ROOT, "node_modules/.bin/tsc"), "--project", folder]);
      const outfile = join(folder, "main.mjs");
      const bundled = { bundle: true, format: "esm", platform: "node" } as const;
      await build({ ...bundled, entryPoints: [join(folder, "main.ts")], outfile });
      return run(folder, environment, [process.execPath, outfile]);
    },
  },
];

const COMPILER = {
  strict: true,
  noEmit: true,
  target: "es2024",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2024", "dom", "dom.iterable"],
  types: ["node"],
  typeRoots: [join(ROOT, "node_modules/@types")],
};

/** The folder of the packages. */
async function obtainPackages(name: string, wanted: readonly string[]): Promise<string> {
  const folder = join(ROOT, "node_modules/.cache", name, wanted.join("_").replaceAll("/", "-"));
  if (!existsSync(join(folder, "installed"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    await run(folder, {}, ["npm", "install", "--silent", "--ignore-scripts", ...wanted]);
    mkdirSync(join(folder, "installed"));
  }
  return join(folder, "node_modules");
}

async function run(
  cwd: string,
  environment: Environment,
  [program = "", ...rest]: readonly string[],
): Promise<string> {
  const env = { ...process.env, ...environment };
  const options = { cwd, env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_MAX };
  try {
    return (await promisify(execFile)(program, rest, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program}: ${stdout}${stderr}`, { cause: error });
  }
}
