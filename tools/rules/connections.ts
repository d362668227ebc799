// Work inside a transaction holds a connection of the pool. If it asks the pool for another one, as many such calls as
// the pool has connections wait for each other, and with them every call of the service, until the wait for a
// connection ends. A function that is given the transaction therefore names neither the pool nor the client that shares
// it.
import { isTest, lineAt, type Place, type Rule, type SourceFile } from "./rule.ts";

/** A list of parameters with a transaction, up to the arrow or the brace behind it. */
const GIVEN_TX = /\([^()]*\btx\b[^()]*\)\s*(?::[^=;]*?)?(?:=>|(?=\{\n))/g;
const ANOTHER_CONNECTION = /\b(?:pool|prisma)\b(?!\s*:)/g;

/** The end of an expression or of a block that begins here. */
function findEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if ("([{".includes(character)) depth++;
    if (depth === 0 && ",;)]}".includes(character)) return at;
    if (")]}".includes(character) && --depth === 0 && character === "}") return at;
  }
  return text.length;
}

function askedBeside({ path, text }: SourceFile): Place[] {
  return [...text.matchAll(GIVEN_TX)].flatMap((match) => {
    const from = match.index + match[0].length;
    const work = text.slice(from, findEnd(text, from));
    return [...work.matchAll(ANOTHER_CONNECTION)].map(({ index }) => ({
      path,
      line: lineAt(text, from + index),
    }));
  });
}

function shop(code: string) {
  return { "services/shop/src/buy.ts": code };
}

export const CONNECTION_RULE: Rule = {
  name: "work inside a transaction asks for no other connection",
  find: (tree) =>
    tree
      .filter(({ path }) => /^(?:libs|services|standalone)\/.*\.ts$/.test(path) && !isTest(path))
      .flatMap(askedBeside),
  bad: [
    shop("await writeOnce(deps, call, async (tx) => {\n  await find(deps.prisma, id);\n});\n"),
    shop("await transaction(db.pool, (tx) => move(tx, db.pool));\n"),
    shop(
      "async function buy(deps: Deps, tx: PoolClient): Promise<{ id: string }> {\n  await deps.pool.query(SQL);\n}\n",
    ),
  ],
  good: [
    shop("const row = await find(prisma);\nawait writeOnce(deps, call, (tx) => put(tx, row));\n"),
    shop("await transaction(db.pool, async (tx) => {\n  await put(tx);\n});\nwake(db.pool);\n"),
    shop("function buy(tx: PoolClient) {\n  return put(tx);\n}\nfind(pool);\n"),
  ],
};
