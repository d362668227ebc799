// Compiles the contracts, as `npm run contracts`. The compiler's output is committed
// beside each source, so that neither the compiler nor its libraries are needed to run or to test the product.
// With a folder as its argument it writes there instead; the test compares that with what is committed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<
    string,
    Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>
  >;
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = [
  "libs/values/contracts",
  "libs/embedded/contracts",
  "services/chains/contracts",
  "services/chains/test/contracts",
];
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  // Without the hash of the sources, a changed comment leaves the bytecode as it is.
  metadata: { appendCBOR: false, bytecodeHash: "none" },
};
// The contract that destroys itself needs an instruction the compiler warns of.
const SELFDESTRUCT_IS_DEPRECATED = /"selfdestruct" has been deprecated/;

const require = createRequire(import.meta.url);
const compiler = solc as unknown as {
  version(): string;
  compile(
    input: string,
    callbacks: { import(path: string): { contents: string } | { error: string } },
  ): string;
};

/** Sources outside the repository are those of npm packages. */
function findImport(path: string) {
  const own = join(ROOT, path);
  try {
    return { contents: readFileSync(existsSync(own) ? own : require.resolve(path), "utf8") };
  } catch (error) {
    return { error: String(error) };
  }
}

function compile(path: string) {
  const input = {
    language: "Solidity",
    sources: { [path]: { content: readFileSync(join(ROOT, path), "utf8") } },
    settings: { ...SETTINGS, outputSelection: { [path]: { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const output = JSON.parse(
    compiler.compile(JSON.stringify(input), { import: findImport }),
  ) as Output;
  const faults = (output.errors ?? []).filter(
    ({ formattedMessage }) => !SELFDESTRUCT_IS_DEPRECATED.test(formattedMessage),
  );
  const name = basename(path, ".sol");
  const contract = output.contracts?.[path]?.[name];
  if (faults.length > 0 || contract === undefined) {
    throw new Error([path, ...faults.map((fault) => fault.formattedMessage)].join("\n"));
  }
  return {
    contract: name,
    compiler: compiler.version(),
    settings: SETTINGS,
    abi: contract.abi,
    bytecode: contract.evm.bytecode.object,
  };
}

const target = process.argv[2] ?? ROOT;
for (const folder of FOLDERS) {
  mkdirSync(join(target, folder), { recursive: true });
  for (const file of readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".sol"))) {
    const path = join(folder, file);
    const artifact = `${JSON.stringify(compile(path), null, 2)}\n`;
    writeFileSync(join(target, path.replace(/\.sol$/, ".json")), artifact);
  }
}
