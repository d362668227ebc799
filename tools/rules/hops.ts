// The tables of hops in docs/architecture.md: a reader follows a request from file to file, so each file of a row must
// be one that the row has named the importer of. Between packages a call or an event is the way, so only files of one
// package are compared.
import { posix } from "node:path";
import { getPackage, type Place, type Rule, type SourceFile, type Tree } from "./rule.ts";

const TABLES = "docs/architecture.md";
const ARROW = " → ";
const FILE = /`((?:libs|services)\/[^`]+\.ts)`/g;
const IMPORT = /from "(\.[^"]+)"/g;

function listImports({ path, text }: SourceFile): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, to = ""]) => posix.join(posix.dirname(path), to));
}

/** The files of a row that no file before them in the row imports, although one of their package is there. */
function isUnfollowable(row: string, tree: Tree): boolean {
  const steps = row
    .split(ARROW)
    .map((step) => [...step.matchAll(FILE)].map(([, path = ""]) => path));
  return steps.some((step, at) => {
    const before = tree.filter(({ path }) => steps.slice(0, at).flat().includes(path));
    return step.some((path) => {
      const near = before.filter((file) => getPackage(file.path) === getPackage(path));
      return near.length > 0 && !near.some((file) => listImports(file).includes(path));
    });
  });
}

export const HOP_RULE: Rule = {
  name: "each hop of docs/architecture.md follows an import",
  find: (tree) =>
    tree
      .filter(({ path }) => path === TABLES)
      .flatMap(({ path, lines }): Place[] =>
        lines.flatMap((line, at) =>
          line.startsWith("| ") && isUnfollowable(line.replace(/^\|[^|]*\|/, ""), tree)
            ? [{ path, line: at + 1 }]
            : [],
        ),
      ),
  bad: [
    {
      "docs/architecture.md":
        "| buy | `services/shop/src/buy.ts` → `services/shop/src/pay.ts` | pays |\n",
      "services/shop/src/buy.ts": 'import { take } from "./take.ts";\n',
      "services/shop/src/pay.ts": "",
    },
  ],
  good: [
    {
      "docs/architecture.md":
        "| a → b | `services/shop/src/buy.ts` → `services/shop/src/pay.ts` → `libs/cash/src/till.ts` | pays |\n",
      "services/shop/src/buy.ts": 'import { pay } from "./pay.ts";\n',
      "services/shop/src/pay.ts": "",
      "libs/cash/src/till.ts": "",
    },
  ],
};
