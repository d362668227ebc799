import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { runOperator } from "../src/operator/projects-create.ts";
import { describeWithProduct, startProduct, type TestProduct } from "./product.ts";

const PEPPER = "pepper-of-the-tests-0123456789-abcdef";

const run = async (args: string[], env: Record<string, string>) => {
  let out = "";
  let err = "";
  const code = await runOperator(args, env, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
};

describeWithProduct("the operator's command", () => {
  let product: TestProduct;
  let parts: Record<string, string>;
  const folder = mkdtempSync(join(tmpdir(), "pay-operator-"));
  beforeAll(async () => {
    product = await startProduct();
    parts = {
      GATEWAY_DATABASE_URL: product.gateway.databaseUrl,
      GATEWAY_KEY_PEPPER: PEPPER,
      WEBHOOKS_ADDRESS: product.addresses.WEBHOOKS_ADDRESS ?? "",
    };
  }, 120_000);
  afterAll(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true });
  });

  const me = (secretKey: string) =>
    product.gateway.ask("GET", "/v1/projects/me", { headers: { "x-secret-key": secretKey } });

  test("makes a project with working keys beside the running product", async () => {
    const env = { ...parts, PUBLIC_URL: "https://pay.example" };
    const { code, out, err } = await run(["--name", "Mug shop", "--json"], env);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const made = JSON.parse(out);
    expect(made).toEqual({
      baseUrl: "https://pay.example",
      projectId: expect.stringMatching(/^proj_/),
      secretKey: expect.stringMatching(/^sk_live_/),
      publishableKey: expect.stringMatching(/^pk_live_/),
      webhookSecret: expect.stringMatching(/^whsec_/),
      chainRpcUrl: null,
      chainId: null,
      tokenAddress: null,
    });
    expect((await me(made.secretKey)).body).toMatchObject({ id: made.projectId, name: "Mug shop" });
    const chains = await product.gateway.ask("GET", "/v1/chains", {
      headers: { "x-publishable-key": made.publishableKey },
    });
    expect(chains.status).toBe(200);
  });

  test("prints a line for what there is, and none for what is not known here", async () => {
    const { out } = await run(["--name", "Till"], { ...parts, PUBLIC_URL: "https://pay.example" });
    const names = out
      .trim()
      .split("\n")
      .map((line) => line.split(/ +/)[0]);
    expect(names).toEqual(["baseUrl", "projectId", "secretKey", "publishableKey", "webhookSecret"]);
  });

  test("finds the local product by the file it writes", async () => {
    const file = {
      ...{ baseUrl: "http://127.0.0.1:8080", gatewayDatabaseUrl: parts.GATEWAY_DATABASE_URL },
      ...{ gatewayKeyPepper: PEPPER, webhooksAddress: parts.WEBHOOKS_ADDRESS, serviceTokens: [] },
      ...{
        chainRpcUrl: product.chain.rpcUrl,
        chainId: 31_337,
        tokenAddress: product.chain.token.address,
      },
    };
    writeFileSync(join(folder, "run.json"), JSON.stringify(file));
    const { code, out } = await run(["--name", "Second"], { DATA_DIR: folder });
    expect(code).toBe(0);
    const fields = Object.fromEntries(
      out
        .trim()
        .split("\n")
        .map((line) => line.split(/ +/)),
    );
    expect(fields).toMatchObject({ baseUrl: "http://127.0.0.1:8080", chainId: "31337" });
    expect((await me(fields.secretKey ?? "")).status).toBe(200);
  });

  test.each([
    [[], {}, /^projects:create: --name must be 1 to 100 characters; usage: .+\n$/],
    [["--name", ""], {}, /^projects:create: --name must be/],
    [["--name", "a", "--nonsense"], {}, /^projects:create: usage: .+\n$/],
    [
      ["--name", "a"],
      { DATA_DIR: "/nowhere" },
      /^projects:create: \/nowhere\/run.json cannot be read; start the product first/,
    ],
  ] as const)("%j says in one line what is wrong", async (args, env, line) => {
    const { code, out, err } = await run([...args], { ...env });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(line);
    expect(err.trimEnd()).not.toContain("\n");
  });

  test("a product that is down is one line, without its secrets", async () => {
    const { code, err } = await run(["--name", "a"], { ...parts, WEBHOOKS_ADDRESS: "127.0.0.1:1" });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^projects:create: the project could not be created .+ is the product running\?\n$/,
    );
    expect(err).not.toContain(PEPPER);
  });
});
