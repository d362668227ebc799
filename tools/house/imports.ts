// Who may import whom. The direction of imports is the architecture; all else follows from it.
import { posix } from "node:path";
import {
  isCode,
  isProduct,
  isTest,
  lineAt,
  type Place,
  packageOf,
  type Rule,
  type Sample,
  type Tree,
} from "./rule.ts";

interface Import extends Place {
  specifier: string;
}

const IMPORT =
  /^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

const importsOf = (tree: Tree): Import[] =>
  tree
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(IMPORT)].map((match) => ({
        path,
        // The name stands at the end of a statement that may take several lines.
        line: lineAt(text, match.index + match[0].length),
        specifier: match[1] ?? match[2] ?? match[3] ?? "",
      })),
    );

/** The rule that certain files may not import certain names. */
const importRule = (rule: {
  name: string;
  from: (path: string) => boolean;
  banned: (specifier: string, path: string) => boolean;
  bad: readonly Sample[];
  good?: readonly Sample[];
}): Rule => ({
  ...rule,
  find: (tree) =>
    importsOf(tree)
      .filter(({ path, specifier }) => rule.from(path) && rule.banned(specifier, path))
      .map(({ path, line }) => ({ path, line })),
});

/** The rule that a library has one home, so that it can be replaced there and nowhere else. */
const homeRule = (library: string, homes: RegExp): Rule => {
  const sample = `import { thing } from "${library}";\n`;
  return importRule({
    name: `${library} is imported only by its home`,
    from: (path) => !homes.test(path),
    banned: (specifier) => specifier === library || specifier.startsWith(`${library}/`),
    bad: [{ "services/shop/src/operations/buy.ts": sample }],
  });
};

const SERVICES = ["chains", "customers", "gateway", "payments", "refunds", "webhooks"];
const serviceOf = (specifier: string): string | undefined =>
  SERVICES.find((name) => specifier === `@pay/${name}` || specifier.startsWith(`@pay/${name}/`));
/** Tests may use the root's own tools; nothing that ships may. */
const leavesPackage = (specifier: string, path: string): boolean => {
  if (!specifier.startsWith(".")) return false;
  const target = packageOf(posix.join(posix.dirname(path), specifier));
  return target !== packageOf(path) && (target !== "" || isProduct(path));
};

const DOMAIN_MAY = /^(\.\/|@pay\/money$|node:(crypto|util)$|@jest\/globals$|fast-check$)/;

export const IMPORT_RULES: readonly Rule[] = [
  importRule({
    name: "domain/ imports itself, @pay/money and what is pure",
    from: (path) => path.includes("/domain/"),
    banned: (specifier) => !DOMAIN_MAY.test(specifier),
    bad: [
      { "services/shop/src/domain/order.ts": 'import { Failure } from "@pay/rpc";\n' },
      { "services/shop/src/domain/order.ts": 'import type { Row } from "../storage.ts";\n' },
      {
        "services/shop/src/domain/order.ts": 'import {\n  readFile,\n} from "node:fs/promises";\n',
      },
    ],
    good: [{ "services/shop/src/domain/order.ts": 'import { newId } from "@pay/money";\n' }],
  }),
  importRule({
    name: "operations/, consumers/ and jobs/ know no transport and nothing above them",
    from: (path) => /^services\/[^/]+\/src\/(operations|consumers|jobs)\//.test(path),
    banned: (specifier) =>
      /^(@grpc\/|kafkajs|express|node:https?$)|\/(service|start|main|config)\.ts$/.test(specifier),
    bad: [
      { "services/shop/src/operations/buy.ts": 'import { request } from "node:https";\n' },
      { "services/shop/src/jobs/sweep.ts": 'import { shopService } from "../service.ts";\n' },
    ],
  }),
  importRule({
    name: "a service never imports another service",
    from: (path) => path.startsWith("services/") && !isTest(path),
    banned: (specifier, path) => {
      const service = serviceOf(specifier);
      return service !== undefined && packageOf(path) !== `services/${service}`;
    },
    bad: [{ "services/shop/src/start.ts": 'import { startRefunds } from "@pay/refunds";\n' }],
    good: [{ "services/refunds/src/start.ts": 'import { startRefunds } from "@pay/refunds";\n' }],
  }),
  importRule({
    name: "a library never imports a service",
    from: (path) => path.startsWith("libs/") || path.startsWith("proto/"),
    banned: (specifier) =>
      serviceOf(specifier) !== undefined || /^@pay\/(standalone|e2e|bench)/.test(specifier),
    bad: [{ "libs/rpc/src/client.ts": 'import { startPayments } from "@pay/payments";\n' }],
  }),
  importRule({
    name: "@pay/money stands on nothing of ours",
    from: (path) => path.startsWith("libs/money/"),
    banned: (specifier) => specifier.startsWith("@pay/"),
    bad: [{ "libs/money/src/amount.ts": 'import { Failure } from "@pay/rpc";\n' }],
  }),
  importRule({
    name: "gateway/src/routes/ reach no database",
    from: (path) => path.startsWith("services/gateway/src/routes/") && !isTest(path),
    banned: (specifier) => /^(@prisma\/|pg$|@pay\/database$)|generated\/prisma/.test(specifier),
    bad: [
      {
        "services/gateway/src/routes/payments.ts":
          'import { PrismaClient } from "../generated/prisma/client.ts";\n',
      },
    ],
  }),
  importRule({
    name: "only tests and the standalone product start embedded parts",
    from: (path) =>
      !isTest(path) && !/^(libs\/(testing|embedded)|standalone|bench|tools)\//.test(path),
    banned: (specifier) => /^@pay\/(testing|embedded)$|^testcontainers$|^@jest\//.test(specifier),
    bad: [{ "services/shop/src/start.ts": 'import { startPostgres } from "@pay/embedded";\n' }],
    good: [{ "services/shop/test/buy.test.ts": 'import { until } from "@pay/testing";\n' }],
  }),
  importRule({
    name: "packages meet at their index: no path into or out of one",
    from: () => true,
    banned: (specifier, path) => /^@pay\/[^/]+\//.test(specifier) || leavesPackage(specifier, path),
    bad: [
      { "services/shop/src/start.ts": 'import { move } from "@pay/payments/src/domain.ts";\n' },
      {
        "services/shop/src/start.ts":
          'export { move } from "../../payments/src/domain/payment.ts";\n',
      },
      {
        "services/shop/src/start.ts": 'const { x } = await import("../../../libs/rpc/src/x.ts");\n',
      },
    ],
    good: [{ "e2e/story.test.ts": 'import { run } from "../tools/run.ts";\n' }],
  }),
  homeRule("ethers", /^(services\/chains|standalone)\/|^(services|e2e|libs)\/.*test/),
  homeRule("kafkajs", /^(libs\/(events|testing)|e2e)\/|^libs\/embedded\/src\/kafka-probe\.ts$/),
  homeRule("@grpc/grpc-js", /^libs\/rpc\//),
  homeRule("express", /^(services\/gateway|bench)\//),
];
