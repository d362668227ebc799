// No table grows without a word about its end: docs/operations.md names each table of each service beside what ends its
// rows.
import { lineAt, type Place, type Rule, type SourceFile, type Tree } from "./rule.ts";

const GUIDE = "docs/operations.md";
const HEADING = "## When rows leave";
const SCHEMA = /^services\/[^/]+\/prisma\/schema\.prisma$/;
const TABLE = /@@map\("(\w+)"\)/g;

/** The first cells of the tables below the heading. */
function namedIn(tree: Tree): ReadonlySet<string> {
  const text = tree.find(({ path }) => path === GUIDE)?.text ?? "";
  const [, section = ""] = text.split(`${HEADING}\n`);
  const rows = section.split(/^## /m)[0]?.matchAll(/^\| ([^|]*)\|/gm) ?? [];
  return new Set([...rows].flatMap(([, cell = ""]) => cell.match(/(?<=`)\w+(?=`)/g) ?? []));
}

function unnamedIn({ path, text }: SourceFile, named: ReadonlySet<string>): Place[] {
  return [...text.matchAll(TABLE)].flatMap((match) =>
    named.has(match[1] ?? "") ? [] : [{ path, line: lineAt(text, match.index) }],
  );
}

function shop(guide: string) {
  return {
    "services/shop/prisma/schema.prisma": 'model Order {\n  id String @id\n  @@map("orders")\n}\n',
    [GUIDE]: guide,
  };
}

export const TABLE_RULE: Rule = {
  name: "docs/operations.md says of each table when its rows leave",
  find: (tree) => {
    const named = namedIn(tree);
    return tree.filter(({ path }) => SCHEMA.test(path)).flatMap((file) => unnamedIn(file, named));
  },
  bad: [
    shop(`${HEADING}\n\n| \`bills\` | \`orders\` have none |\n`),
    shop(`| \`orders\` | stay |\n${HEADING}\n\n## Uninstall\n| \`orders\` | stay |\n`),
  ],
  good: [shop(`${HEADING}\n\n| table | end |\n| --- | --- |\n| \`bills\`, \`orders\` | stay |\n`)],
};
