// Names and sizes: a folder is a noun of the domain or the name of one mechanism, a file is short enough to read at
// once.
import { isCode, lineRule, type Place, type Rule, type Tree } from "./rule.ts";

/** The rule that certain paths may not exist; the place is the first line of the file. */
function pathRule(rule: Omit<Rule, "find"> & { banned: (path: string) => boolean }): Rule {
  return {
    ...rule,
    find: (tree) =>
      tree.filter(({ path }) => rule.banned(path)).map(({ path }) => ({ path, line: 1 })),
  };
}

/** The rule that certain files end at a line; the place is the first line too many. */
function sizeRule(linesMax: number, what: string, files: (path: string) => boolean): Rule {
  function find(tree: Tree): Place[] {
    return tree
      .filter(({ path, lines }) => files(path) && countLines(lines) > linesMax)
      .map(({ path }) => ({ path, line: linesMax + 1 }));
  }

  const path = [
    "services/gateway/src/api/payments/routes.ts",
    "services/shop/src/main.ts",
    "libs/rpc/src/server.ts",
  ].find(files);
  if (path === undefined) throw new Error(`no sample path for ${what}`);
  return {
    name: `${what} has at most ${linesMax} lines`,
    find,
    bad: [{ [path]: "x;\n".repeat(linesMax + 1) }],
    good: [{ [path]: "x;\n".repeat(linesMax) }],
  };
}

function countLines(lines: readonly string[]): number {
  return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

const BANNED_NAMES = /^(utils?|common|helpers?|shared|misc|types)$/;
function getStem(segment: string): string {
  return segment.replace(/\..*$/, "");
}

const KEBAB = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.(test|run|config|d|bench))?\.(ts|tsx|mjs|js)$/;
function getName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const INDEX = /^(?:(?:libs|services|web)\/[^/]+|sdk|standalone|e2e|bench)\/src\/index\.ts$/;

export const NAME_RULES: readonly Rule[] = [
  pathRule({
    name: "no folder or file is a collection without a subject (utils, common, helpers, shared, misc, types)",
    banned: (path) =>
      path.split("/").some((segment, at, all) => {
        const last = at === all.length - 1;
        return last && !isCode(path) ? false : BANNED_NAMES.test(getStem(segment));
      }),
    bad: [
      { "libs/rpc/src/utils/text.ts": "" },
      { "services/shop/src/types.ts": "" },
      { "services/shop/src/helpers.test.ts": "" },
    ],
    good: [{ "services/shop/src/domain/common-currency.ts": "" }],
  }),
  pathRule({
    name: "no file is a manager, an implementation or a base",
    banned: (path) =>
      isCode(path) && /(^|-)(manager|impl|utils?|helpers?)$|^base-/.test(getStem(getName(path))),
    bad: [
      { "services/shop/src/order-manager.ts": "" },
      { "services/shop/src/base-storage.ts": "" },
    ],
  }),
  pathRule({
    name: "code files are named in kebab-case",
    banned: (path) => isCode(path) && !KEBAB.test(getName(path)),
    bad: [{ "services/shop/src/createOrder.ts": "" }, { "services/shop/src/create_order.ts": "" }],
    good: [{ "services/shop/prisma.config.ts": "", "services/shop/src/buy-now.test.ts": "" }],
  }),
  lineRule({
    name: "no I…, …Impl, …Manager or …Service among our own types",
    files: isCode,
    pattern:
      /^\s*(?:export\s+)?(?:abstract\s+)?(?:(?:class|interface|type)\s+(?:I[A-Z][a-z]\w*|\w+(?:Impl|Manager))\b|class\s+\w+Service\b)/,
    bad: [
      { "services/shop/src/order.ts": "export class OrderManager {}\n" },
      { "services/shop/src/order.ts": "export interface IOrder {}\n" },
      { "services/shop/src/order.ts": "class OrderService {}\n" },
    ],
    good: [{ "services/shop/src/order.ts": "type Item = string;\ninterface Index {}\n" }],
  }),
  lineRule({
    name: "a function begins with a verb: no definition ends in Of",
    files: isCode,
    pattern: /(?<!["'`])\b(?:function|const|let|type|interface)\s+\w*[a-z]Of\b/,
    bad: [
      { "services/shop/src/order.ts": "export function totalOf(order: Order) {}\n" },
      { "services/shop/test/order.test.ts": "const totalOf = (order) => order.total;\n" },
    ],
    good: [{ "services/shop/src/order.ts": "const at = text.indexOf(mark);\n" }],
  }),
  pathRule({
    name: "index.ts is only at the root of a package",
    banned: (path) => getName(path) === "index.ts" && !INDEX.test(path),
    bad: [{ "services/shop/src/operations/index.ts": "" }],
    good: [{ "services/shop/src/index.ts": "" }],
  }),
  lineRule({
    name: "index.ts exports by name",
    files: (path) => getName(path) === "index.ts",
    pattern: /^\s*export\s+(\*|default\b)/,
    bad: [
      { "libs/rpc/src/index.ts": 'export * from "./client.ts";\n' },
      { "libs/rpc/src/index.ts": "export default 1;\n" },
    ],
    good: [{ "libs/rpc/src/index.ts": 'export { connect } from "./client.ts";\n' }],
  }),
  pathRule({
    name: "migrations go forward, one numbered folder each",
    banned: (path) =>
      path.includes("/migrations/") &&
      !/\/migrations\/\d{4}_[a-z0-9_]+\/migration\.sql$/.test(path),
    bad: [
      { "services/shop/prisma/migrations/0001_orders/down.sql": "" },
      { "services/shop/prisma/migrations/20260101000000_orders/migration.sql": "" },
    ],
    good: [{ "services/shop/prisma/migrations/0001_orders/migration.sql": "" }],
  }),
  sizeRule(60, "main.ts", (path) => /^services\/.*\/main\.ts$/.test(path)),
  sizeRule(200, "a file of routes", (path) =>
    /^services\/gateway\/src\/api\/[^/]+\/routes\.ts$/.test(path),
  ),
  sizeRule(400, "a file", (path) => isCode(path) || /(?<!migration)\.sql$|\.sh$/.test(path)),
];
