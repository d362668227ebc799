// Runs the samples of the reference as a reader does: as they are printed, with keys and ids in the environment.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TIMEOUT_MS = 240_000;
/** Where the SDK is found by its name. */
const HERE = fileURLToPath(new URL(".", import.meta.url));

interface Language {
  /** Its name in the reference. */
  name: string;
  probe: string[];
  file: string;
  run(file: string, source: string): string[];
}

export const LANGUAGES: readonly Language[] = [
  { name: "curl", probe: ["curl", "--version"], file: "sample.sh", run: (file) => ["sh", file] },
  {
    name: "TypeScript",
    probe: [process.execPath, "--version"],
    file: "sample.ts",
    run: (_, source) => [process.execPath, "--input-type=module-typescript", "--eval", source],
  },
  {
    name: "Python",
    probe: ["python3", "--version"],
    file: "sample.py",
    run: (file) => ["python3", file],
  },
  {
    name: "PHP",
    probe: ["php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"],
    file: "sample.php",
    run: (file) => ["php", file],
  },
  { name: "Go", probe: ["go", "version"], file: "sample.go", run: (file) => ["go", "run", file] },
  { name: "Ruby", probe: ["ruby", "--version"], file: "sample.rb", run: (file) => ["ruby", file] },
];

/** What a machine lacks for the samples of a language, or undefined. */
export function missingFor({ name, probe: [program = "", ...rest] }: Language): string | undefined {
  return spawnSync(program, rest).status === 0 ? undefined : `no ${name} with HTTP`;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
};

/** A program as the page of the reference shows it. */
export function readSample(page: string, operationId: string, { name }: Language): string {
  const [, ofOperation = ""] = page.split(`<article id="${operationId}">`);
  const [, ofLanguage = ""] = ofOperation.split(`>${name}</p><pre tabindex="0">`);
  const [source = ""] = ofLanguage.split("</pre>");
  return source.replace(/&(?:amp|lt|gt|quot);/g, (one) => CHARACTERS[one] ?? one);
}

/** What the program prints. */
export async function runSample(
  { run, file }: Language,
  source: string,
  environment: Record<string, string>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pay-sample-"));
  const path = join(folder, file);
  writeFileSync(path, source);
  const [program = "", ...rest] = run(path, source);
  const { PATH, HOME, GOCACHE, GOFLAGS } = process.env;
  const env = { PATH, HOME, GOCACHE, GOFLAGS, ...environment };
  const child = spawn(program, rest, { cwd: HERE, env, timeout: TIMEOUT_MS });
  const [out, err] = await Promise.all([toText(child.stdout), toText(child.stderr)]);
  rmSync(folder, { recursive: true, force: true });
  if (out === "") throw new Error(`${program}: ${err}`);
  return out;
}

async function toText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const part of stream) text += part;
  return text;
}
