// The SDK as a merchant gets it: its types are those of the interface, it stays small, and tools of all kinds find its
// entries. A change of the interface fails here until `npm run sdk` is run.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { publint } from "publint";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HOME = join(ROOT, "sdk", "typescript");
const TIMEOUT_MS = 240_000;
const KIB = 1_024;
/** Gzipped, as one bundle that a merchant's tool makes. */
const SIZES_MAX: Record<string, number> = {
  ".": 9 * KIB,
  "./webhooks": 3 * KIB,
  "./x402": 3 * KIB,
  "./browser": 6 * KIB,
};

let folder = "";

function run(script: string, ...args: string[]): void {
  const options = { cwd: ROOT, timeout: TIMEOUT_MS, stdio: "pipe" as const };
  execFileSync(process.execPath, [join(ROOT, "tools", "sdk", script), ...args], options);
}

function filesIn(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => /\.(ts|js|json|md)$|LICENSE$/.test(path));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pay-sdk-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("its types and calls are those of the interface's document", () => {
  const fresh = join(folder, "api");
  run("main.ts", fresh);
  expect(filesIn(join(HOME, "src", "api"))).toEqual(filesIn(fresh));
});

describe("as a package", () => {
  let built = "";
  beforeAll(() => {
    built = join(folder, "node_modules", "@pay", "sdk");
    run("build.ts", built);
  });

  test("needs no other package", () => {
    const { dependencies, peerDependencies } = JSON.parse(filesIn(built)["package.json"] ?? "{}");
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  });

  test("is described in a way that tools of all kinds understand", async () => {
    const { messages } = await publint({ pkgDir: built, strict: true, pack: false });
    expect(messages.map(({ code }) => code)).toEqual([]);
  });

  test("has the right types for every entry, wherever ECMAScript modules are used", async () => {
    const contents = Object.entries(filesIn(built)).map(([path, text]) => [
      `/node_modules/@pay/sdk/${path}`,
      text,
    ]);
    const { version } = JSON.parse(filesIn(built)["package.json"] ?? "{}");
    const made = new Package(Object.fromEntries(contents), "@pay/sdk", version);
    const result = await checkPackage(made);
    const problems = result.types === false ? ["no types"] : result.problems;
    // It is for ECMAScript modules, and says so; resolution before entries existed is older than any Node it runs on.
    const accepted = ["CJSResolvesToESM", "NoResolution"];
    expect(
      problems.filter(
        (one) =>
          typeof one === "string" ||
          !accepted.includes(one.kind) ||
          (one.kind === "NoResolution" && one.resolutionKind !== "node10"),
      ),
    ).toEqual([]);
  });

  test.each(Object.entries(SIZES_MAX))("%s stays within its budget", async (entry, bytesMax) => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "@pay/sdk${entry.slice(1)}";`, resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      target: "es2022",
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(bytesMax);
  });

  test.each([
    ["nodenext", ["es2022"], ["node"]],
    ["bundler", ["es2022", "dom"], []],
  ])("a program of a merchant compiles, with resolution %s", (resolution, lib, types) => {
    const home = join(folder, resolution);
    mkdirSync(home);
    writeFileSync(join(home, "package.json"), '{ "type": "module" }');
    writeFileSync(join(home, "shop.ts"), PROGRAM);
    const module = resolution === "bundler" ? "esnext" : "nodenext";
    const compilerOptions = { module, moduleResolution: resolution, strict: true, noEmit: true };
    const typeRoots = [join(ROOT, "node_modules", "@types")];
    const options = { ...compilerOptions, target: "es2022", lib, types, typeRoots };
    writeFileSync(join(home, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
    const compiler = join(ROOT, "node_modules", ".bin", "tsc");
    const said = execFileSync(compiler, ["-p", home], { encoding: "utf8", timeout: TIMEOUT_MS });
    expect(said).toBe("");
  });
});

/** What it gives back has types: a wrong one fails to compile. */
const PROGRAM = `
import { createPay, PayError, type Payment, type Pages, type PaymentItem, type PaymentList } from "@pay/sdk";
import { verifyWebhook } from "@pay/sdk/webhooks";
import { requirePayment } from "@pay/sdk/x402";

const pay = createPay({ baseUrl: "https://pay.example", secretKey: "sk_test_1" });
const price = { amount: "0.05", chainId: 8453, currency: "0x1", payTo: "0x2" };
export const sell: (request: Request) => Promise<Response> = requirePayment(pay, price).fetch(
  (_request, { id, payer }) => Response.json({ id, payer }),
);

const seen: string[] = [];

export async function order(): Promise<string> {
  const made = await pay.payments.create(
    { amount: "1.5", chainId: 1, currency: "native", recipientAddress: "0x1" },
    { idempotencyKey: "order-1", query: { expand: ["checkoutUrl"] } },
  );
  const replayed: boolean = made.$response.replayed;
  const all: Pages<PaymentItem, PaymentList> = pay.payments.list({ status: ["confirmed"] });
  for await (const { id, amount } of all) seen.push(id, amount, String(replayed));
  const payment: Payment = await pay.payments.get(made.id, { expand: ["transfers"] });
  await pay.webhookEndpoints.deliveries.redeliver("we_1", "del_1");
  return payment.txHash ?? made.checkoutUrl ?? "";
}

export async function receive(request: Request): Promise<string> {
  const result = await verifyWebhook(request, "whsec_1");
  return result.verified ? result.event.type : result.reason;
}

export function getCode(error: unknown): string {
  return error instanceof PayError ? error.code : "";
}


`;
