// What is said twice must agree: the protos and the services, the configuration and its table.
import { posix } from "node:path";
import {
  isTest,
  lineAt,
  type Place,
  packageOf,
  type Rule,
  type Sample,
  type Tree,
} from "./rule.ts";

interface Rpc extends Place {
  service: string;
  /** As handlers and clients spell it. */
  name: string;
}

const rpcsOf = (tree: Tree): Rpc[] =>
  tree
    .filter(({ path }) => /^proto\/.*\.proto$/.test(path) && !path.startsWith("proto/grpc/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^service (\w+) \{([\s\S]*?)^\}/gm)].flatMap((service) => {
        const from = service.index + service[0].indexOf("{") + 1;
        return [...(service[2] ?? "").matchAll(/^\s*rpc (\w+)/gm)].map((rpc) => ({
          path,
          line: lineAt(text, from + rpc.index + rpc[0].length),
          service: service[1] ?? "",
          name: `${rpc[1]?.[0]?.toLowerCase()}${rpc[1]?.slice(1)}`,
        }));
      }),
    );

interface Surface {
  /** The service's own folder. */
  folder: string;
  /** Names from operations/ on the rpc's line. */
  operations: string[];
}

/** The line of the rpc in the file that implements its service, if both are there. */
const surfaceOf = (rpc: Rpc, tree: Tree): Surface | undefined => {
  const file = tree.find(
    ({ path, text }) =>
      /^services\/[^/]+\/src\/[a-z-]*service\.ts$/.test(path) &&
      text.includes(`Handlers<typeof ${rpc.service}>`),
  );
  if (file === undefined) return undefined;
  const folder = file.path.slice(0, file.path.indexOf("/src/"));
  const line = new RegExp(`^  (?:async )?${rpc.name}\\b[\\s\\S]*?(?=^  \\w|^\\})`, "m").exec(
    file.text,
  );
  if (line === null) return undefined;
  const imported = [...file.text.matchAll(/^import \{([^}]*)\} from "\.\/(operations\/[^"]+)"/gm)];
  const body = line[0].slice(line[0].indexOf(rpc.name) + rpc.name.length);
  const operations = imported.flatMap(([, names = "", path]) =>
    tree.some((other) => other.path === `${folder}/src/${path}`)
      ? names
          .split(",")
          .map((name) => name.replace(/\btype\b/, "").trim())
          .filter((name) => name !== "" && new RegExp(`\\b${name}\\b`).test(body))
      : [],
  );
  return { folder, operations };
};

const namedInTest = (rpc: Rpc, { folder, operations }: Surface, tree: Tree): boolean => {
  const name = new RegExp(`\\b(${[rpc.name, ...operations].join("|")})\\b`);
  return tree.some(
    ({ path, text }) => path.startsWith(`${folder}/`) && isTest(path) && name.test(text),
  );
};

const PROTO =
  "service ShopService {\n  rpc BuyItem(BuyItemRequest) returns (BuyItemResponse);\n}\n";
const SERVICE = (body: string): string =>
  `import { buyItem } from "./operations/buy-item.ts";\n` +
  `export const shopService = (deps: Deps): Handlers<typeof ShopService> => ({\n${body}});\n`;
const SHOP: Sample = {
  "proto/shop/v1/shop.proto": PROTO,
  "services/shop/src/service.ts": SERVICE("  buyItem: (request) => buyItem(deps, request),\n"),
  "services/shop/src/operations/buy-item.ts": "export const buyItem = () => {};\n",
  "services/shop/test/buy-item.test.ts": "await client.buyItem({});\n",
};
const without = (path: string): Sample =>
  Object.fromEntries(Object.entries(SHOP).filter(([other]) => other !== path));

const VARIABLE = /^\s+([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+):|databaseConfig\("([A-Z_]+)"\)/gm;

const variablesOf = (text: string): { name: string; line: number }[] =>
  [...text.matchAll(VARIABLE)].flatMap((match) => {
    const line = lineAt(text, match.index + match[0].length);
    const names =
      match[1] === undefined
        ? [`${match[2]}_DATABASE_URL`, `${match[2]}_DATABASE_POOL_MAX`]
        : [match[1]];
    return names.map((name) => ({ name, line }));
  });

const CONFIG = /^(?:libs|services)\/[^/]+\/src\/(?:[a-z-]+-)?config\.ts$/;

const undocumented = (tree: Tree): Place[] =>
  tree
    .filter(({ path }) => CONFIG.test(path))
    .flatMap(({ path, text }) => {
      const readme = tree.find((other) => other.path === `${packageOf(path)}/README.md`);
      const rows = (readme?.lines ?? []).filter((line) => line.startsWith("|"));
      return variablesOf(text)
        .filter(({ name }) => !rows.some((row) => row.includes(`\`${name}\``)))
        .map(({ line }) => ({ path, line }));
    });

const DOCUMENT = /\.md$/;
const NAMED_PATH =
  /`((?:proto|libs|services|standalone|web|sdk|e2e|bench|deploy|tools|docs|\.ci)\/[\w./-]*\w)`/g;
const NAMED_VERB = /`(?:\w+=\S+ )*npm (?:run ([a-z][\w:-]*)|(start|test)\b)/g;

const LINK = /\]\((?![a-z]+:|#)([^)#\s]+)/g;

const missingPaths = (tree: Tree): Place[] => {
  const isThere = (named: string): boolean =>
    tree.some(({ path }) => path === named || path.startsWith(`${named}/`));
  return tree
    .filter(({ path }) => DOCUMENT.test(path))
    .flatMap(({ path, text }) => {
      const links = [...text.matchAll(LINK)].filter(
        ([, to = ""]) => !isThere(posix.join(posix.dirname(path), to)),
      );
      const names = [...text.matchAll(NAMED_PATH)].filter(([, named = ""]) => !isThere(named));
      return [...links, ...names].map((match) => ({ path, line: lineAt(text, match.index) }));
    });
};

const missingVerbs = (tree: Tree): Place[] => {
  const manifest = tree.find(({ path }) => path === "package.json");
  const { scripts = {} } = JSON.parse(manifest?.text ?? "{}") as { scripts?: object };
  return tree
    .filter(({ path }) => DOCUMENT.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(NAMED_VERB)]
        .filter(([, named, usual]) => !Object.hasOwn(scripts, named ?? usual ?? ""))
        .map((match) => ({ path, line: lineAt(text, match.index) })),
    );
};

export const SURFACE_RULES: readonly Rule[] = [
  {
    name: "every rpc is an entry of its service.ts that names an operation",
    find: (tree) => rpcsOf(tree).filter((rpc) => !surfaceOf(rpc, tree)?.operations.length),
    bad: [
      without("services/shop/src/service.ts"),
      without("services/shop/src/operations/buy-item.ts"),
      { ...SHOP, "services/shop/src/service.ts": SERVICE("  buyItem: async () => ({}),\n") },
      { ...SHOP, "services/shop/src/service.ts": SERVICE("  sell: () => buyItem(deps),\n") },
    ],
    good: [SHOP],
  },
  {
    name: "every rpc is named in a test of its service",
    find: (tree) =>
      rpcsOf(tree).filter((rpc) => {
        const surface = surfaceOf(rpc, tree);
        return surface !== undefined && !namedInTest(rpc, surface, tree);
      }),
    bad: [without("services/shop/test/buy-item.test.ts")],
    good: [SHOP],
  },
  {
    name: "every variable of config.ts is a row of the package's README",
    find: undocumented,
    bad: [
      { "services/shop/src/config.ts": "  SHOP_GRPC_PORT: variable.port(0),\n" },
      {
        "services/shop/src/config.ts": "  SHOP_GRPC_PORT: variable.port(0),\n",
        "services/shop/README.md": "SHOP_GRPC_PORT is a port\n",
      },
      {
        "services/shop/src/config.ts": '  ...databaseConfig("SHOP").shape,\n',
        "services/shop/README.md": "| `SHOP_DATABASE_URL` | where |\n",
      },
    ],
    good: [
      {
        "services/shop/src/config.ts": "  SHOP_GRPC_PORT: variable.port(0),\n",
        "services/shop/README.md": "| `SHOP_GRPC_PORT` | port |\n",
      },
    ],
  },
  {
    name: "a path that a document names is there",
    find: missingPaths,
    bad: [
      { "docs/shop.md": "see `services/shop/src/gone.ts`\n" },
      { "docs/shop.md": "see [the shop](../services/shop/README.md#buying)\n" },
    ],
    good: [
      {
        "docs/shop.md": "see `services/shop/src/buy.ts` in `services/shop`\n",
        "services/shop/src/buy.ts": "",
      },
    ],
  },
  {
    name: "a command that a document names is a script of the root",
    find: missingVerbs,
    bad: [
      { "docs/shop.md": "run `npm run sell`\n", "package.json": '{ "scripts": { "buy": "x" } }' },
    ],
    good: [
      {
        "docs/shop.md": "run `PORT=1 npm run buy`\n",
        "package.json": '{ "scripts": { "buy": "x" } }',
      },
    ],
  },
];
