// The rules of `.dependency-cruiser.mjs`. Without this test, a rule that a pattern or an update turns off would go
// unnoticed. A small tree with one bad import per file is checked with the configuration of the repository.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, "node_modules", "dependency-cruiser", "bin", "dependency-cruiser.mjs");

const PACKAGES = [
  "proto",
  "libs/database",
  "libs/embedded",
  "libs/events",
  "libs/values",
  "libs/rpc",
  "services/payments",
  "services/refunds",
];
const INSTALLED = [
  "@grpc/grpc-js",
  "@jest/globals",
  "@opentelemetry/api",
  "ethers",
  "express",
  "kafkajs",
  "zod",
];

const DOMAIN =
  "domain/ imports domain/, @pay/values, @pay/failures, pure modules and types of messages, rows and events";
const TYPES =
  "domain/ takes nothing but types from @pay/proto, @pay/database, @pay/events and the generated client";
const TRANSPORT =
  "operations/, consumers/, jobs/ and features import no transport and nothing above them";
const OTHER_SERVICE = "a service never imports another service";
const DATABASE = "gateway/src/api/ reaches no database";
const EMBEDDED = "only tests and the standalone product start embedded parts";
const INDEX = "packages meet at their index";
const TOOLS = "what ships uses none of the root's tools";
const CYCLE = "no import leads back to its own file";
function home(library: string): string {
  return `${library} is imported only by its home`;
}

const FAULTS: [rule: string, path: string, code: string][] = [
  [DOMAIN, "services/shop/src/domain/failing.ts", 'import { thing } from "@pay/rpc";'],
  [DOMAIN, "services/shop/src/domain/row.ts", 'import type { Row } from "../storage.ts";'],
  [DOMAIN, "services/shop/src/domain/disk.ts", 'import {\n  open,\n} from "node:fs/promises";'],
  [DOMAIN, "services/shop/src/domain/schema.ts", 'import { z } from "zod";'],
  [DOMAIN, "services/chains/src/books/domain/book.ts", 'import { thing } from "../keep.ts";'],
  [
    "a feature of chains imports only features to its left",
    "services/chains/src/attribution/match.ts",
    'import { thing } from "../books/keep.ts";',
  ],
  [
    "a feature of chains imports only features to its left",
    "services/chains/src/providers/url.ts",
    'import { thing } from "../config.ts";',
  ],
  [TYPES, "services/shop/src/domain/message.ts", 'import { thing } from "@pay/proto";'],
  [TYPES, "services/shop/src/domain/pages.ts", 'import { thing } from "@pay/database";'],
  [TYPES, "services/shop/src/domain/event.ts", 'import { thing } from "@pay/events";'],
  [TRANSPORT, "services/shop/src/operations/buy.ts", 'import { request } from "node:https";'],
  [TRANSPORT, "services/shop/src/jobs/sweep.ts", 'import { service } from "../service.ts";'],
  [TRANSPORT, "services/gateway/src/consumers/ask.ts", 'import express from "express";'],
  [OTHER_SERVICE, "services/shop/src/start.ts", 'import { thing } from "@pay/refunds";'],
  [OTHER_SERVICE, "services/shop/src/kind.ts", 'import type { Kind } from "@pay/refunds";'],
  [
    "a library never imports a service",
    "libs/rpc/src/client.ts",
    'import { thing } from "@pay/payments";',
  ],
  [
    "@pay/values stands on nothing of ours",
    "libs/values/src/amount.ts",
    'import { thing } from "@pay/rpc";',
  ],
  [
    "the SDK stands on nothing of ours and nothing installed",
    "sdk/typescript/src/client.ts",
    'import { thing } from "@pay/values";',
  ],
  [
    "a page imports itself, the shared look, the SDK for browsers and libraries for browsers",
    "web/till/src/main.tsx",
    'import { thing } from "@pay/values";',
  ],
  [
    "a page takes nothing but types from the SDK for servers",
    "web/till/src/client.ts",
    'import { createPay } from "../../../sdk/typescript/src/pay.ts";',
  ],
  [DATABASE, "services/gateway/src/api/keys/routes.ts", 'import { thing } from "@pay/database";'],
  [
    DATABASE,
    "services/gateway/src/api/payments/routes.ts",
    'import { PrismaClient } from "../../generated/prisma/client.ts";',
  ],
  [EMBEDDED, "services/shop/src/parts.ts", 'import { thing } from "@pay/embedded";'],
  [EMBEDDED, "libs/rpc/src/checks.ts", 'import { expect } from "@jest/globals";'],
  [INDEX, "libs/rpc/src/deep.ts", 'export { digits } from "../../values/src/digits.ts";'],
  [INDEX, "standalone/src/late.ts", 'await import("../../services/payments/src/move.ts");'],
  [INDEX, "services/shop/test/deep.test.ts", 'import "../../../libs/values/src/digits.ts";'],
  [TOOLS, "libs/rpc/src/run.ts", 'import { run } from "../../../tools/run.ts";'],
  [CYCLE, "libs/rpc/src/cycle.ts", 'import type { Other } from "./other.ts";'],
  ["every import leads somewhere", "libs/rpc/src/gone.ts", 'import { x } from "./nowhere.ts";'],
  [home("ethers"), "services/shop/src/digest.ts", 'import { keccak256 } from "ethers";'],
  [home("@opentelemetry/"), "libs/rpc/src/span.ts", 'import { trace } from "@opentelemetry/api";'],
  [home("kafkajs"), "services/shop/src/bus.ts", 'import { Kafka } from "kafkajs";'],
  [home("@grpc/grpc-js"), "services/shop/src/call.ts", 'import { Client } from "@grpc/grpc-js";'],
  [home("express"), "services/shop/src/http.ts", 'import type { Request } from "express";'],
];

/** Similar imports that are allowed, and the files that the bad imports name. */
const SOUND: [path: string, code: string][] = [
  [
    "services/shop/src/domain/order.ts",
    'import { createHash } from "node:crypto";\nimport { thing } from "@pay/values";\n' +
      'import type { Kind } from "@pay/proto";\nimport type { RowFrom } from "@pay/database";\n' +
      'import type { OrderModel } from "../generated/prisma/models.ts";\nimport { price } from "./price.ts";',
  ],
  ["services/shop/src/domain/price.ts", "export const price = 1;"],
  ["services/shop/src/generated/prisma/models.ts", "export type OrderModel = string;"],
  ["services/shop/src/storage.ts", 'import { thing } from "@pay/database";'],
  ["services/shop/src/service.ts", "export const service = 1;"],
  ["services/shop/test/buy.test.ts", 'import { thing } from "@pay/embedded";'],
  ["services/shop/test/both.test.ts", 'import { thing } from "@pay/refunds";'],
  ["services/payments/src/move.ts", "export const move = 1;"],
  ["services/gateway/src/pipeline/app.ts", 'import express from "express";'],
  ["services/gateway/src/generated/prisma/client.ts", "export const PrismaClient = 1;"],
  ["services/chains/src/books/keep.ts", 'import { thing } from "../attribution/claim.ts";'],
  ["services/chains/src/attribution/claim.ts", "export const thing = 1;"],
  ["services/chains/src/config.ts", "export const thing = 1;"],
  ["services/chains/src/digest.ts", 'import { keccak256 } from "ethers";'],
  ["libs/events/src/bus.ts", 'import { Kafka } from "kafkajs";'],
  ["libs/rpc/src/server.ts", 'import { Server } from "@grpc/grpc-js";'],
  ["libs/rpc/src/other.ts", 'import { cycle } from "./cycle.ts";'],
  ["libs/rpc/src/message.ts", 'import { thing } from "@pay/proto";'],
  ["libs/values/src/digits.ts", "export const digits = 1;"],
  ["standalone/src/product.ts", 'import { thing } from "@pay/payments";'],
  ["e2e/story.test.ts", 'import { run } from "../tools/run.ts";'],
  ["tools/run.ts", "export const run = 1;"],
  ["sdk/typescript/src/pay.ts", "export const createPay = 1;\nexport interface Payment {}"],
  ["web/till/src/types.ts", 'import type { Payment } from "../../../sdk/typescript/src/pay.ts";'],
];

interface Violation {
  from: string;
  rule: { name: string };
}

let folder = "";
let found: Violation[] = [];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `${text}\n`);
}

function writePackage(path: string, index: string): void {
  write(join(path, "package.json"), JSON.stringify({ type: "module", exports: `./${index}` }));
  write(join(path, index), "export const thing = 1;");
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "imports-"));
  for (const name of INSTALLED) writePackage(join("node_modules", name), "index.js");
  mkdirSync(join(folder, "node_modules", "@pay"));
  for (const path of PACKAGES) {
    writePackage(path, path === "proto" ? "index.js" : "src/index.ts");
    const name = path.slice(path.indexOf("/") + 1);
    symlinkSync(join(folder, path), join(folder, "node_modules", "@pay", name));
  }
  for (const [path, code] of SOUND) write(path, code);
  for (const [, path, code] of FAULTS) write(path, code);
  const { stdout } = spawnSync(
    process.execPath,
    [PROGRAM, "--config", join(ROOT, ".dependency-cruiser.mjs"), "--output-type", "json", "."],
    { cwd: folder, encoding: "utf8", timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
  );
  found = (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(FAULTS)("%s: %s", (rule, path) => {
  const here = found.filter(({ from }) => from === path).map((violation) => violation.rule.name);
  expect(here).toEqual([rule]);
});

test("no rule fires for similar imports that are allowed", () => {
  const sound = SOUND.map(([path]) => path);
  const inSound = found.filter(({ from }) => sound.includes(from));
  expect(inSound).toEqual([]);
});

test("every rule has a file that breaks it", async () => {
  const config = (await import("../.dependency-cruiser.mjs" as string)) as {
    default: { forbidden: { name: string }[] };
  };
  const shown = new Set(FAULTS.map(([rule]) => rule));
  expect(
    config.default.forbidden.map(({ name }) => name).filter((name) => !shown.has(name)),
  ).toEqual([]);
});
