// SQL is in files, where set-up lets PostgreSQL check it. What a request or a schema composes stays in TypeScript, and
// each of these files is named in exceptions.ts.
import { isProduct, lineAt, type Place, type Rule, type SourceFile } from "./rule.ts";

const LITERAL = /`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g;
const STATEMENT =
  /^.[\s(]*(?:with\s+\w+\s+as\s|select\s[\s\S]*\bfrom\s|insert\s+into\s|update\s+\S+[\s\S]*\sset\s|delete\s+from\s)/;

function findStatements({ path, text }: SourceFile): Place[] {
  return [...text.matchAll(LITERAL)].flatMap(({ 0: literal, index }) =>
    STATEMENT.test(literal) ? [{ path, line: lineAt(text, index) }] : [],
  );
}

const PATH = "services/shop/src/storage/orders.ts";

export const STATEMENT_RULE: Rule = {
  name: "SQL is in prisma/sql, unless a request composes it",
  find: (tree) =>
    tree
      .filter(({ path }) => /^(?:services|libs)\//.test(path) && isProduct(path))
      .flatMap(findStatements),
  bad: [
    { [PATH]: "const FIND = `\n  select id from orders where id = $1`;\n" },
    { [PATH]: 'await pool.query("delete from orders where id = $1", [id]);\n' },
    { [PATH]: "const text = `with paid as (\n  select 1) select * from paid`;\n" },
    { [PATH]: "const text = `update orders set paid = true`;\n" },
    { [PATH]: "const text = `(insert into orders values (1))`;\n" },
  ],
  good: [
    { [PATH]: 'import { findOrders } from "../generated/sql.ts";\n' },
    { [PATH]: 'throw new Failure("select a currency of the payment");\n' },
    { [PATH]: 'await tx.query("savepoint work");\n' },
    { "services/shop/test/orders.test.ts": "await pool.query(`select id from orders`);\n" },
  ],
};
