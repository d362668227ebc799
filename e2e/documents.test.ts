// What a newcomer reads works as it is printed: every command of the first page and of the guides for merchants, in a
// folder that looks like a fresh clone.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { leasePort } from "@pay/embedded";
import { describeWithChain, describeWithPostgres, until } from "@pay/testing";
import { extractBlocks, lookLikeClone, ROOT, runShell, type Shell } from "./harness/documents.ts";
import { newDataDir, type Running, startForm } from "./harness/standalone.ts";

/** Each command of a page begins with the set-up, and a busy machine takes minutes for all of them. */
const LIMIT_MS = 900_000;
const PATIENCE_MS = 180_000;
const WALLET = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
/** Commands that do not end by themselves, and those that are done already when the other blocks run. */
const ASIDE = new Set(["npm start", "npm test", "npm run receiver"]);

interface Described {
  paths: {
    "/v1/payments": {
      post: { requestBody: { content: { "application/json": { example: object } } } };
    };
  };
}

function isAside(block: string): boolean {
  const lines = block.split("\n").filter((line) => line.trim() !== "");
  return lines.every((line) => ASIDE.has(line.replace(/#.*/, "").trim()));
}

describeWithPostgres("the documents", () => {
  describeWithChain("on a local chain", () => {
    const folder = newDataDir();
    let product: Running;
    let receiver: Shell;
    let issuerPort: number;
    const shells: Shell[] = [];
    beforeAll(async () => {
      lookLikeClone(folder.path);
      product = await startForm("standalone", join(folder.path, ".data"));
      issuerPort = await leasePort();
    });
    afterAll(async () => {
      await Promise.all(shells.map((shell) => shell.stop()));
      await product?.stop();
      folder.remove();
    });

    function start(script: string, environment: Record<string, string> = {}): Shell {
      const placed = script
        .replaceAll("http://127.0.0.1:8080", product.credentials.baseUrl)
        .replaceAll("https://login.example.com", `http://127.0.0.1:${issuerPort}`);
      const shell = runShell(folder.path, placed, { DATA_DIR: "", ...environment });
      shells.push(shell);
      return shell;
    }

    async function follow(page: string, environment?: Record<string, string>) {
      const blocks = extractBlocks(page, "sh").filter((block) => !isAside(block));
      expect(blocks.length).toBeGreaterThan(0);
      const shell = start(blocks.join("\n"), environment);
      const code = await shell.ended;
      if (code !== 0) throw new Error(`a command of ${page} failed (${code}):\n${shell.output()}`);
      return shell.output();
    }

    test(
      "the first page leads to a confirmed payment, in the coin and in a token",
      async () => {
        expect(extractBlocks("README.md", "sh").filter(isAside)).toHaveLength(3);
        receiver = start("npm run receiver -- --port 0");
        await until(() => receiver.output().includes("listening on"), {
          timeoutMs: PATIENCE_MS,
          what: "the receiver",
        });
        await follow("README.md");
        await until(() => receiver.output().split("genuine test payment.confirmed").length === 3, {
          timeoutMs: PATIENCE_MS,
          what: "two confirmed payments at the receiver",
        });
        await until(() => receiver.output().includes("genuine test refund.completed"), {
          timeoutMs: PATIENCE_MS,
          what: "the refund that sends itself at the receiver",
        });
        expect(receiver.output()).not.toContain("REFUSED");
      },
      LIMIT_MS,
    );

    test(
      "the commands of the API guide succeed, with the issuer it prints",
      async () => {
        const sample = extractBlocks("docs/api.md", "js").find((block) =>
          block.includes("SignJWT"),
        );
        const file = join(folder.path, ".data", "issuer.mjs");
        writeFileSync(file, `${sample}`.replaceAll("9400", `${issuerPort}`));
        const issuer = start(`node ${file} ${WALLET}`);
        issuer.type("\n");
        const token = await until(() => /^[\w-]+\.[\w-]+\.[\w-]+$/m.exec(issuer.output())?.[0], {
          timeoutMs: PATIENCE_MS,
          what: "a token of the issuer",
        });
        const output = await follow("docs/api.md", { TOKEN: token });
        expect(output).toContain('"sessionToken":"sess_');
        expect(output).toContain('{"revoked":1}');
      },
      LIMIT_MS,
    );

    test("the commands of the webhooks guide succeed", () => follow("docs/webhooks.md"), LIMIT_MS);

    test(
      "the commands of the pages about ways to pay succeed",
      async () => {
        await follow("docs/ways-to-pay/wallet.md");
        await follow("docs/ways-to-pay/qr-code.md");
        expect(await follow("docs/ways-to-pay/exchange.md")).toContain('"data":"0xfb1215bd');
      },
      LIMIT_MS,
    );

    test("the example of a payment in the reference is accepted as it is printed", async () => {
      const { baseUrl, secretKey } = product.credentials;
      const described = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as Described;
      const { example } =
        described.paths["/v1/payments"].post.requestBody.content["application/json"];
      const answer = await fetch(`${baseUrl}/v1/payments`, {
        method: "POST",
        headers: { "X-Secret-Key": secretKey, "Content-Type": "application/json" },
        body: JSON.stringify(example),
      });
      expect([answer.status, answer.headers.get("x-service-warning")]).toEqual([201, null]);
    });

    test("Ctrl-C ends the receiver and the product, each with a last line that says so", async () => {
      await receiver.stop();
      expect(receiver.output()).toMatch(/stopped; callbackUrl is as it was before\s*$/);
      const before = product.output().length;
      expect(await product.stop()).toBe(0);
      const after = product.output().slice(before);
      expect(after).toMatch(/(^|\n)stopped\n$/);
      expect(after).not.toContain('"stack"');
    });

    test("nothing is left in the clone but the data folder", () => {
      const more = readdirSync(folder.path).filter((name) => !readdirSync(ROOT).includes(name));
      expect(more.filter((name) => name !== ".data")).toEqual([]);
    });
  });
});
