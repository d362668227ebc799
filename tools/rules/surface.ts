// Facts that are written twice must agree: the documents and the files they name.
import { posix } from "node:path";
import { lineAt, type Place, type Rule, type Tree } from "./rule.ts";

const DOCUMENT = /\.md$/;
const NAMED_ROOT = /^(?:proto|libs|services|standalone|web|sdk|e2e|bench|deploy|tools|docs|\.ci)\//;
const NAMED_PATH =
  /`((?:proto|libs|services|standalone|web|sdk|e2e|bench|deploy|tools|docs|\.ci)\/[\w./-]*\w)\/?`/g;
/** A folder of the package that the document is of. */
const NAMED_FOLDER = /`((?:src|test|prisma)(?:\/[\w.-]+)*)\/`/g;
/** A file named by the end of its path, such as `domain/order.ts`; commands and addresses have other characters. */
const NAMED_FILE =
  /`((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:ts|tsx|mjs|js|sql|proto|prisma|jsonc?|md|ya?ml|tpl|lua))`/g;
/** Files that a command or a step of a guide creates. */
const CREATED_FILE = /^(?:run\.json|migration\.sql)$/;
const NAMED_COMMAND = /\bnpm\s+(?:run\s+([a-z][\w:-]*)|(start|test)\b)/g;
const NAMED_BENCH = /\bnpm\s+run\s+bench\s+--\s+([a-z][\w-]*)/g;
const NAMED_TEST = /\bnpm\s+test\s+--\s+([a-z][\w./-]*\.ts)\b/g;

const LINK = /\]\((?![a-z]+:|#)([^)#\s]+)/g;

interface Named {
  /** What the document names. */
  name: string;
  /** Where in the text. */
  index: number;
}

/** The first group that matches is the name. */
function named(text: string, pattern: RegExp): Named[] {
  return [...text.matchAll(pattern)].map((match) => ({
    name: match.slice(1).find((group) => group !== undefined) ?? "",
    index: match.index,
  }));
}

/** The places of all names in documents that do not pass the check. */
function unknown(
  tree: Tree,
  find: (text: string, path: string) => readonly (Named & { isKnown: boolean })[],
): Place[] {
  return tree
    .filter(({ path }) => DOCUMENT.test(path))
    .flatMap(({ path, text }) =>
      find(text, path)
        .filter(({ isKnown }) => !isKnown)
        .map(({ index }) => ({ path, line: lineAt(text, index) })),
    );
}

function missingPaths(tree: Tree): Place[] {
  function isThere(path: string): boolean {
    return tree.some((file) => file.path === path || file.path.startsWith(`${path}/`));
  }

  function endsOnePath(end: string): boolean {
    return tree.some(({ path }) => path === end || path.endsWith(`/${end}`));
  }

  function endsOneFolder(end: string): boolean {
    return tree.some(({ path }) => path.includes(`/${end}/`));
  }

  return unknown(tree, (text, path) => [
    ...named(text, LINK).map((link) => ({
      ...link,
      isKnown: isThere(posix.join(posix.dirname(path), link.name)),
    })),
    ...named(text, NAMED_PATH).map((one) => ({ ...one, isKnown: isThere(one.name) })),
    ...named(text, NAMED_FOLDER).map((one) => ({
      ...one,
      isKnown: isThere(posix.join(posix.dirname(path), one.name)) || endsOneFolder(one.name),
    })),
    ...named(text, NAMED_FILE)
      .filter(({ name }) => !NAMED_ROOT.test(name))
      .map((one) => ({ ...one, isKnown: CREATED_FILE.test(one.name) || endsOnePath(one.name) })),
  ]);
}

function missingCommands(tree: Tree): Place[] {
  const manifest = tree.find(({ path }) => path === "package.json");
  const { scripts = {} } = JSON.parse(manifest?.text ?? "{}") as { scripts?: object };
  function isFile(wanted: string): boolean {
    return tree.some(({ path }) => path === wanted);
  }

  return unknown(tree, (text) => [
    ...named(text, NAMED_COMMAND).map((one) => ({
      ...one,
      isKnown: Object.hasOwn(scripts, one.name),
    })),
    ...named(text, NAMED_BENCH).map((one) => ({ ...one, isKnown: isFile(`bench/${one.name}.ts`) })),
    ...named(text, NAMED_TEST).map((one) => ({ ...one, isKnown: isFile(one.name) })),
  ]);
}

/** The health check is the standard one of gRPC. */
const PROTO = /^proto\/(?!grpc\/).*\.proto$/;
const RPC = /^ {2}rpc (\w+)\(/gm;
const SERVICE_README = /^services\/[a-z]+\/README\.md$/;

function unlistedRpcs(tree: Tree): Place[] {
  const rows = tree
    .filter(({ path }) => SERVICE_README.test(path))
    .flatMap(({ lines }) => lines.filter((line) => line.startsWith("|")));
  return tree
    .filter(({ path }) => PROTO.test(path))
    .flatMap(({ path, text }) =>
      named(text, RPC)
        .filter(({ name }) => !rows.some((row) => row.includes(`\`${name}\``)))
        .map(({ index }) => ({ path, line: lineAt(text, index) })),
    );
}

export const SURFACE_RULES: readonly Rule[] = [
  {
    name: "every rpc is in the table of its service's README",
    find: unlistedRpcs,
    bad: [
      { "proto/shop/v1/shop.proto": "service Shop {\n  rpc Buy(BuyRequest) returns (Bought) {\n" },
      {
        "proto/shop/v1/shop.proto": "service Shop {\n  rpc Buy(BuyRequest) returns (Bought) {\n",
        "services/shop/README.md": "`Buy` buys.\n",
      },
    ],
    good: [
      {
        "proto/shop/v1/shop.proto": "service Shop {\n  rpc Buy(BuyRequest) returns (Bought) {\n",
        "services/shop/README.md": "| `Sell`, `Buy` | the sale |\n",
      },
    ],
  },
  {
    name: "a path that a document names exists",
    find: missingPaths,
    bad: [
      { "docs/shop.md": "see `services/shop/src/gone.ts`\n" },
      { "docs/shop.md": "see [the shop](../services/shop/README.md#buying)\n" },
      { "docs/shop.md": "a trigger in `domain/gone.ts`\n" },
      { "services/shop/README.md": "| `src/gone/` | what was here |\n" },
    ],
    good: [
      {
        "docs/shop.md": "see `services/shop/src/buy.ts` in `services/shop`, and `src/buy.ts`\n",
        "services/shop/src/buy.ts": "",
      },
    ],
  },
  {
    name: "a command that a document names can be run",
    find: missingCommands,
    bad: [
      { "docs/shop.md": "run `npm run sell`\n", "package.json": '{ "scripts": { "buy": "x" } }' },
      { "docs/shop.md": "```sh\nnpm run sell\n```\n", "package.json": "{}" },
      {
        "docs/shop.md": "`npm run bench -- sell`\n",
        "package.json": '{ "scripts": { "bench": "x" } }',
      },
      {
        "docs/shop.md": "`npm test -- services/shop/test/gone.test.ts`\n",
        "package.json": '{ "scripts": { "test": "x" } }',
      },
    ],
    good: [
      {
        "docs/shop.md": "run `PORT=1 npm run buy`\n",
        "package.json": '{ "scripts": { "buy": "x" } }',
      },
    ],
  },
];
