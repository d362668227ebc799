// Every query of a merchant's row names the merchant's project, so that an id alone gives no access. The rule reads the
// schema to find the tables with a project, then checks the queries in code and SQL. A move that is guarded by a
// version is decided on a row that was read before, so it needs no project. Queries across projects are in
// storage/cross-tenant.ts of their service, and nowhere else.
import {
  getPackage,
  isTest,
  lineAt,
  type Place,
  type Rule,
  type SourceFile,
  type Tree,
} from "./rule.ts";

interface Tenanted {
  /** As the client spells the model. */
  delegate: string;
  table: string;
}

function tenantedIn(folder: string, tree: Tree): Tenanted[] {
  const schema = tree.find(({ path }) => path === `${folder}/prisma/schema.prisma`);
  return [...(schema?.text ?? "").matchAll(/^model (\w+) \{([\s\S]*?)^\}/gm)].flatMap(
    ([, model = "", body = ""]) =>
      /^\s+project_id\b/m.test(body)
        ? [
            {
              delegate: `${model[0]?.toLowerCase()}${model.slice(1)}`,
              table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
            },
          ]
        : [],
  );
}

/** The text between a bracket and its partner. */
function bracketed(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return text.slice(from, at);
  }
  return text.slice(from);
}

function clientCalls({ path, text }: SourceFile, delegates: string): Place[] {
  const call = new RegExp(
    `\\.(${delegates})\\s*\\.(find|update|delete|count|aggregate|groupBy)\\w*\\(`,
    "g",
  );
  return [...text.matchAll(call)].flatMap((match) => {
    const asked = bracketed(text, match.index + match[0].length - 1);
    // A filter made elsewhere is judged where its parts are named.
    const filter = /\bwhere\b\s*(:\s*\{|[:,\s}])/.exec(asked);
    const elsewhere = filter !== null && !filter[0].endsWith("{");
    if (elsewhere || /project|tenant|\.\.\.where\b/i.test(asked)) return [];
    return [{ path, line: lineAt(text, match.index + match[0].length) }];
  });
}

function pages({ path, text }: SourceFile, tables: string): Place[] {
  return [...text.matchAll(/\bselectPage\b[^(;]*\(/g)].flatMap((match) => {
    const asked = bracketed(text, match.index + match[0].length - 1);
    const isTenanted = new RegExp(`table: "(${tables})"`).test(asked);
    return isTenanted && !/\bproject_id = \?/.test(asked)
      ? [{ path, line: lineAt(text, match.index) }]
      : [];
  });
}

const LITERAL = /`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g;

function statements({ path, text }: SourceFile, tables: string): Place[] {
  const asks = new RegExp(`\\b(from|join|update)\\s+(${tables})\\b`);
  return [...text.matchAll(LITERAL)].flatMap((match) => {
    const [sql] = match;
    const byId = /(?<!_)\bid\s*(=\s*(any\s*\(\s*)?|in\s*\(\s*)\$/.exec(sql);
    if (byId === null || !asks.test(sql) || /\bproject_id\b|\bversion =/.test(sql)) return [];
    return [{ path, line: lineAt(text, match.index + byId.index + 1) }];
  });
}

/** In a file a list gives the id as well. */
function findUntenantedFile({ path, text }: SourceFile, tables: string): Place[] {
  const sql = text.replaceAll(/--.*$/gm, (comment) => " ".repeat(comment.length));
  const reads = new RegExp(`\\b(from|join|update)\\s+(${tables})\\b`);
  const byId = /(?<!_)\bid\s*(?:=\s*(?:any\s*\(\s*)?(?:\$|\w+\.id\b)|in\s*\()/.exec(sql);
  if (byId === null || !reads.test(sql) || /\bproject_id\b|\bversion =/.test(sql)) return [];
  return [{ path, line: lineAt(text, byId.index) }];
}

const SCHEMA = 'model Order {\n  id String @id\n  project_id String\n  @@map("orders")\n}\n';
function shop(code: string, path = "services/shop/src/storage/orders.ts") {
  return {
    [path]: code,
    "services/shop/prisma/schema.prisma": SCHEMA,
  };
}

const CODE = /^services\/[^/]+\/src\/(?!storage\/(?:internal|cross-tenant)\.ts$).*\.ts$/;
const SQL = /^services\/[^/]+\/prisma\/sql\/(?!cross-tenant\/).*\.sql$/;

export const TENANT_RULE: Rule = {
  name: "a row that belongs to a project is asked for with its project",
  find: (tree) =>
    tree
      .filter(({ path }) => (CODE.test(path) || SQL.test(path)) && !isTest(path))
      .flatMap((file) => {
        const tenanted = tenantedIn(getPackage(file.path), tree);
        if (tenanted.length === 0) return [];
        const tables = tenanted.map(({ table }) => table).join("|");
        if (file.path.endsWith(".sql")) return findUntenantedFile(file, tables);
        return [
          ...clientCalls(file, tenanted.map(({ delegate }) => delegate).join("|")),
          ...statements(file, tables),
          ...pages(file, tables),
        ];
      }),
  bad: [
    shop(
      "-- Finds orders.\nselect orders.id from orders join input on orders.id = input.id\n",
      "services/shop/prisma/sql/findOrders.sql",
    ),
    shop("const row = await prisma.order.findUnique({ where: { id } });\n"),
    shop("await prisma.order.deleteMany({});\n"),
    shop("const rows = await db.query(`select * from orders where id = any($1)`, [ids]);\n"),
    shop("await db.query(`\n  update orders set paid = true where orders.id = $1`, [id]);\n"),
    shop('await selectPage<Order>(pool, { table: "orders", scope: [], page });\n'),
    shop(
      "await db.query(`select * from orders where id = any($1)`);\n",
      "services/shop/src/listing/internal.ts",
    ),
  ],
  good: [
    shop(
      "-- By id = id.\nselect id from orders join input using (project_id) where id = any($1)\n",
      "services/shop/prisma/sql/findOrders.sql",
    ),
    shop(
      "select id from orders where id = any($1)\n",
      "services/shop/prisma/sql/cross-tenant/claimOrders.sql",
    ),
    shop("await prisma.order.findFirst({ where: { id, project_id: tenant.projectId } });\n"),
    shop("await prisma.order.findMany({ where, take: limit });\n"),
    shop("await prisma.order.findMany({ where: { ...where, ...beyond } });\n"),
    shop("await db.query(`update orders set paid = true where id = $1 and version = $2`);\n"),
    shop("await db.query(`select * from orders where project_id = $1 and id = $2`);\n"),
    shop("await prisma.outbox.findUnique({ where: { id } });\n"),
    shop(
      'await selectPage<Order>(pool, { table: "orders", scope: condition("project_id = ?", id) });\n',
    ),
    shop(
      "await db.query(`select * from orders where id = any($1)`);\n",
      "services/shop/src/storage/internal.ts",
    ),
  ],
};
