// Who may import whom, run by `npm run check`. The direction of imports is the architecture; all else follows from it.
// Paths are those of the files that imports lead to, so a package of ours is its folder and not its name.
// `tools/imports.test.ts` shows each rule a file that breaks it.
const PACKAGE = "^((?:libs|services|web)/[^/]+|proto|sdk|standalone|e2e|bench)/";
const TEST = "\\.test\\.ts$|(^|/)test/|^e2e/";

/** What npm installed, by name; `@scope/` stands for all packages of a scope. */
function installed(...names) {
  return names.map((name) => `^node_modules/${name}${name.endsWith("/") ? "" : "/"}`);
}

/** A library has one home, so that it can be replaced there and nowhere else. */
function home(library, homes) {
  return {
    name: `${library} is imported only by its home`,
    severity: "error",
    from: { pathNot: homes },
    to: { path: installed(library) },
  };
}

function rule(name, from, to) {
  return { name, severity: "error", from, to };
}

/** Of chains: each imports itself and those to its left. */
const FEATURES = [
  "providers",
  "catalog",
  "verification",
  "attribution",
  "following",
  "payouts",
  "books",
];

/** The SDK has several entries, because what runs on a server must not reach a page. */
const SDK_ENTRY = "^sdk/typescript/src/(pay|webhooks|x402|browser|testing)\\.ts$";

const DOMAIN_MAY = [
  "^libs/(values|failures)/src/index\\.ts$",
  "^(crypto|util)$",
  ...installed("@jest/globals", "fast-check"),
];

/** What kinds of messages, rows and events come from. */
const DOMAIN_TYPES = [
  "^proto/",
  "^libs/(database|events)/src/index\\.ts$",
  "^services/[^/]+/src/generated/(prisma/models|sql)\\.ts$",
];

export default {
  forbidden: [
    rule(
      "domain/ imports domain/, @pay/values, @pay/failures, pure modules and types of messages, rows and events",
      { path: ["^([^/]+/[^/]+/src)/domain/", "^([^/]+/[^/]+/src)/[^/]+/domain/"] },
      { pathNot: ["^$1/domain/", "^$1/[^/]+/domain/", ...DOMAIN_TYPES, ...DOMAIN_MAY] },
    ),
    rule(
      "domain/ takes nothing but types from @pay/proto, @pay/database, @pay/events and the generated client",
      { path: "/domain/" },
      { path: DOMAIN_TYPES, dependencyTypesNot: ["type-only"] },
    ),
    rule(
      "operations/, consumers/, jobs/ and features import no transport and nothing above them",
      { path: `^services/[^/]+/src/(operations|consumers|jobs|${FEATURES.slice(1).join("|")})/` },
      {
        path: [
          ...installed("@grpc/", "kafkajs", "express"),
          "^https?$",
          "/(service|start|main|config)\\.ts$",
        ],
        pathNot: "^services/chains/src/catalog/config\\.ts$",
      },
    ),
    ...FEATURES.map((feature, at) =>
      rule(
        "a feature of chains imports only features to its left",
        { path: `^services/chains/src/${feature}/`, pathNot: TEST },
        {
          path: "^services/chains/src/[^/]+(/|\\.ts$)",
          pathNot: [
            `^services/chains/src/(${FEATURES.slice(0, at + 1).join("|")}|generated)/`,
            "^services/chains/src/(metrics|operator-command)\\.ts$",
          ],
        },
      ),
    ),
    rule(
      "a service never imports another service",
      { path: "^services/([^/]+)/", pathNot: TEST },
      { path: "^services/", pathNot: "^services/$1/" },
    ),
    rule(
      "a library never imports a service",
      { path: "^(libs|proto)/" },
      { path: "^(services|standalone|e2e|bench)/" },
    ),
    rule(
      "@pay/values stands on nothing of ours",
      { path: "^libs/values/" },
      { path: PACKAGE, pathNot: "^libs/values/" },
    ),
    rule(
      "the SDK stands on nothing of ours and nothing installed",
      { path: "^sdk/", pathNot: TEST },
      { path: [PACKAGE, "^node_modules/"], pathNot: "^sdk/" },
    ),
    rule(
      "a page imports itself, the shared look, the SDK for browsers and libraries for browsers",
      { path: "^web/([^/]+)/", pathNot: TEST },
      {
        path: PACKAGE,
        pathNot: ["^web/$1/", "^web/look/", "^sdk/typescript/src/(browser|pay)\\.ts$"],
      },
    ),
    rule(
      "a page takes nothing but types from the SDK for servers",
      { path: "^web/" },
      { path: "^sdk/typescript/src/pay\\.ts$", dependencyTypesNot: ["type-only"] },
    ),
    rule(
      "gateway/src/api/ reaches no database",
      { path: "^services/gateway/src/api/", pathNot: TEST },
      {
        path: [...installed("@prisma/", "pg"), "^libs/(database|idempotency)/", "/generated/"],
      },
    ),
    rule(
      "only tests and the standalone product start embedded parts",
      {
        pathNot: [TEST, "^(libs/(testing|embedded)|standalone|bench|tools)/|^jest\\.config\\.mjs$"],
      },
      { path: ["^libs/(testing|embedded)/", ...installed("testcontainers", "@jest/")] },
    ),
    rule(
      "packages meet at their index",
      {
        path: PACKAGE,
        pathNot: [
          // Measures a part that the gateway has no reason to export.
          "^bench/auth\\.ts$",
          // What the product is compared with must use the same tables through the same generated client.
          "^bench/baselines/monolith\\.ts$",
          // Measures the statements of payments without the calls around them.
          "^bench/parts/payment-(lives|rows)\\.ts$",
          // Open the pages as the tests of their budgets do.
          "^bench/parts/(checkout|desk)-page\\.ts$",
        ],
      },
      {
        path: PACKAGE,
        pathNot: [
          "^$1/",
          "^[^.]+/src/index\\.ts$",
          "^proto/(index|events)\\.js$",
          // Its files stand each for itself, as its stylesheets do.
          "^web/look/",
          SDK_ENTRY,
        ],
      },
    ),
    rule(
      "what ships uses none of the root's tools",
      { path: PACKAGE, pathNot: TEST },
      { path: "^(tools|deploy)/" },
    ),
    rule("no import leads back to its own file", {}, { circular: true }),
    // The rules judge where an import leads, so they would let pass one that leads nowhere.
    rule("every import leads somewhere", {}, { couldNotResolve: true }),
    home("ethers", "^(services/chains|standalone|e2e)/|^(services|libs)/.*test"),
    home("kafkajs", "^(libs/events|e2e)/|^libs/testing/src/kafka-groups\\.ts$"),
    home("@grpc/grpc-js", "^libs/rpc/"),
    home("express", "^(services/gateway|bench|e2e)/"),
    home("@opentelemetry/", "^libs/process/"),
  ],
  options: {
    // The compiler of this version has no interface for tools.
    parser: "swc",
    doNotFollow: { path: ["node_modules", "/generated/", "^proto/gen/"] },
    exclude: {
      path: ["^\\.(ci|data|git|turbo)/", "^(libs|services|web)/[^/]+/dist/", "\\.d\\.m?ts$"],
    },
    exoticRequireStrings: [],
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
