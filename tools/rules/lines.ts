// Patterns that no line of code may contain. Each of them has caused a fault in some product.
import { isCode, isProduct, isTest, lineRule, type Rule } from "./rule.ts";

function isLock(path: string): boolean {
  return path === "package-lock.json";
}

function isText(path: string): boolean {
  return !isLock(path);
}

const READS_ENVIRONMENT =
  /(^|\/)main\.ts$|^(standalone|bench|tools|e2e|libs\/testing)\/|\.config\.(ts|mjs)$/;

export const LINE_RULES: readonly Rule[] = [
  lineRule({
    name: "a status is compared only in domain/",
    files: (path) =>
      /^(libs|services)\//.test(path) && isProduct(path) && !path.includes("/domain/"),
    pattern:
      /\bstatus\s*[!=]==?\s*(["'`](?!fulfilled|rejected|number|0x)|\w*Status[._])|["'`\w]\s*[!=]==?\s*[\w.?]*\.status\b|switch\s*\([\w.]*\bstatus\)/,
    bad: [
      { "services/shop/src/operations/buy.ts": 'if (order.status === "open") pay();\n' },
      { "services/shop/src/operations/buy.ts": "if (order.status !== Status.OPEN) pay();\n" },
      { "services/shop/src/operations/buy.ts": 'if ("open" === order.status) pay();\n' },
      { "services/shop/src/operations/buy.ts": "switch (order.status) {\n" },
    ],
    good: [
      { "services/shop/src/domain/order.ts": 'if (order.status === "open") pay();\n' },
      { "services/shop/src/operations/buy.ts": "const ok = response.status === 200;\n" },
      { "libs/rpc/src/server.ts": 'const bad = results.filter((r) => r.status === "rejected");\n' },
    ],
  }),
  lineRule({
    name: "addresses and hashes get their one spelling from @pay/values",
    // Other services have headers and methods, whose case says nothing either.
    files: (path) =>
      /^services\/(chains|payments|refunds|customers)\/src\//.test(path) && isProduct(path),
    pattern: /\.toLowerCase\(\)/,
    bad: [
      { "services/refunds/src/domain/buy.ts": "const wallet = text.toLowerCase();\n" },
      { "services/chains/src/providers/decode.ts": "const hash = word.toLowerCase();\n" },
    ],
    good: [{ "services/refunds/src/domain/buy.ts": "const wallet = toAddress(text);\n" }],
  }),
  lineRule({
    name: "the number of a chain is a ChainId, and no plain number is made of one",
    files: (path) => /^(libs\/(?!embedded\/)|services\/)/.test(path) && isProduct(path),
    pattern:
      /\bchain_?[iI]ds?\??: (readonly )?number\b|\b\w*([cC]hain|[pP]roviders)\w*\??: (Readonly)?(Map|Set)<number\b|\bNumber\([\w.]*\bchain_?[iI]d\)/,
    bad: [
      { "services/shop/src/buy.ts": "interface Order {\n  chainId: number;\n}\n" },
      { "services/shop/src/buy.ts": "function pay(chainIds: readonly number[]) {}\n" },
      {
        "services/shop/src/buy.ts": "interface Deps {\n  byChain: ReadonlyMap<number, Shop>;\n}\n",
      },
      { "services/shop/src/buy.ts": "const id = Number(row.chain_id);\n" },
    ],
    good: [
      { "services/shop/src/buy.ts": "const id = toChainId(row.chain_id);\n" },
      { "services/shop/src/buy.ts": "interface Row {\n  chain_id: bigint;\n  block: number;\n}\n" },
    ],
  }),
  lineRule({
    name: "tests do not replace code with mocks",
    files: isCode,
    pattern:
      /\bjest\s*\.\s*(mock|doMock|unstable_mockModule|spyOn|replaceProperty|useFakeTimers)\b/,
    bad: [{ "services/shop/src/buy.test.ts": 'jest.mock("./storage.ts");\n' }],
  }),
  lineRule({
    name: "tests wait for a condition, never for a fixed time",
    // Helpers of the end-to-end tests make load and bound starts, so they may use timers, like @pay/testing.
    files: (path) => isTest(path) && !/^e2e\/[^/]+\//.test(path),
    pattern: /(?<![.\w])(setTimeout|sleep)\(|node:timers/,
    bad: [
      { "services/shop/test/buy.test.ts": "await new Promise((done) => setTimeout(done, 100));\n" },
      { "e2e/story.test.ts": 'import { setTimeout as pause } from "node:timers/promises";\n' },
    ],
  }),
  lineRule({
    name: "the time limit of a test or hook is that of the run, or longer",
    files: isTest,
    // On a busy machine a test with a shorter one fails although nothing is wrong.
    pattern: /\bjest\.setTimeout\(|^\s*\}, (\d+|[12]?\d?\d_000)\);$/,
    bad: [
      { "services/shop/test/buy.test.ts": "jest.setTimeout(60_000);\n" },
      { "services/shop/test/buy.test.ts": "  }, 60_000);\n" },
      { "e2e/story.test.ts": "}, 240_000);\n" },
    ],
    good: [{ "e2e/story.test.ts": "}, 900_000);\n" }],
  }),
  lineRule({
    name: "no test is run alone or skipped by name",
    files: isTest,
    pattern: /\b(test|it|describe)\.only\b|\b(fit|fdescribe|xit|xtest|xdescribe)\(/,
    bad: [{ "services/shop/test/buy.test.ts": 'test.only("buys", () => {});\n' }],
  }),
  lineRule({
    name: "a literal is written where it belongs, not spread into another one",
    files: isCode,
    // An array whose elements are changed first is no literal any more, and a list of parameters never was one.
    pattern: /(?<!\()\.\.\.\(?(?:\{|\[[^\]]*\](?![.[]))/,
    bad: [
      { "services/shop/src/buy.ts": "  ...{ id, status },\n" },
      { "services/shop/src/buy.ts": '  ...(["a", "b"] as const),\n' },
    ],
    good: [
      { "services/shop/src/buy.ts": "  ...[first, second].flatMap(listNames),\n" },
      { "services/shop/src/buy.ts": "  ...(isOpen && { id }),\n" },
      { "services/shop/src/buy.ts": "function buy(...[order, buyer]: Asked) {\n" },
    ],
  }),
  lineRule({
    name: "no notes about later work",
    files: isText,
    pattern: /\b(TODO|FIXME|HACK|XXX)\b/,
    bad: [
      { "services/shop/src/buy.ts": "// TODO: check the amount\n" },
      { "README.md": "FIXME\n" },
    ],
  }),
  lineRule({
    name: "no banner comments",
    files: (path) => isText(path) && !path.endsWith(".md"),
    pattern: /^\s*(\/\/|#|--|\/?\*)\s*([=*#~_/-])\2{3,}/,
    bad: [
      { "services/shop/src/buy.ts": "// ---------- storage ----------\n" },
      { "services/shop/src/buy.ts": "/* ======= */\n" },
      { "deploy/run.sh": "#########\n" },
    ],
    good: [{ "services/shop/src/buy.ts": "/** Buys. */\n" }, { "deploy/values.yaml": "---\n" }],
  }),
  lineRule({
    name: "a comment line has at most 120 characters",
    // The SDK's calls are generated, and their comments come from the API's descriptions.
    files: (path) => isCode(path) && !path.startsWith("sdk/typescript/src/api/"),
    pattern: /^(?=.{121})\s*(\/\/|\/?\*)/,
    bad: [{ "services/shop/src/buy.ts": `// ${"long ".repeat(30)}\n` }],
    good: [{ "services/shop/src/buy.ts": `const text = "${"long ".repeat(30)}";\n` }],
  }),
  lineRule({
    name: "the environment is read only where a process begins",
    files: (path) => isCode(path) && !isTest(path) && !READS_ENVIRONMENT.test(path),
    pattern: /\bprocess\s*\.\s*env\b|\benv\b[^=]*\}\s*=\s*process\b|\benv\b.*from "node:process"/,
    bad: [
      { "services/shop/src/start.ts": "const port = process.env.PORT;\n" },
      { "services/shop/src/start.ts": "const { env } = process;\n" },
      { "services/shop/src/start.ts": 'import { env } from "node:process";\n' },
    ],
    good: [{ "services/shop/src/main.ts": "await runService(start, process.env);\n" }],
  }),
  lineRule({
    name: "an amount never becomes a floating number",
    files: isProduct,
    pattern: /\b(Number|parseFloat|parseInt|Math\.\w+)\([^()]*(amount|Amount|base_?[uU]nits|wei)\b/,
    bad: [
      { "services/shop/src/buy.ts": "const total = Number(order.amount) * 2;\n" },
      { "services/shop/src/buy.ts": "const total = parseFloat(order.baseAmount);\n" },
    ],
    good: [{ "services/shop/src/buy.ts": "const total = BigInt(order.amount);\n" }],
  }),
  lineRule({
    name: "the compiler is not silenced",
    files: isCode,
    pattern: /@ts-(ignore|nocheck|expect-error)\b/,
    bad: [{ "services/shop/src/buy.ts": "// @ts-expect-error it works\n" }],
  }),
  lineRule({
    name: "no path of one machine, no host of one registry",
    files: isText,
    pattern:
      /(?<![\w.~-])\/(home|Users|root|work|workspace|mnt)\/\w|\b(registry|artifactory|nexus|verdaccio)\.(?!example\.)[\w-]+\.\w|\brepo\d*\.[\w-]+\.\w+\/maven|\bproxy\.golang\.org/,
    bad: [
      { "docs/run.md": "see /home/someone/notes\n" },
      { ".npmrc": "registry=https://registry.acme.org/\n" },
    ],
    good: [{ "docs/run.md": "a file at ./home/x, `GET /v1/work/list`\n" }],
  }),
  lineRule({
    name: "the lock file names no place to load from",
    files: isLock,
    pattern: /"resolved":\s*"[a-z+]+:\/\//,
    bad: [{ "package-lock.json": '  "resolved": "https://packages.example.org/x.tgz",\n' }],
    good: [{ "package-lock.json": '  "resolved": "libs/values",\n' }],
  }),
];
