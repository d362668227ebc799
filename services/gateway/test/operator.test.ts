import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { runKeysCreate } from "../src/operator/keys-create.ts";
import { runOperator } from "../src/operator/projects-create.ts";
import { describeWithProduct, startProduct, type TestProduct } from "./product.ts";

const PEPPER = "pepper-of-the-tests-0123456789-abcdef";

async function run(args: string[], env: Record<string, string>, command = runOperator) {
  let out = "";
  let err = "";
  const code = await command(args, env, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

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
  });
  afterAll(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true });
  });

  function me(secretKey: string) {
    return product.gateway.ask("GET", "/v1/projects/me", {
      headers: { "x-secret-key": secretKey },
    });
  }

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

  test("prints a line for each known value, and none for an unknown one", async () => {
    const { out } = await run(["--name", "Till"], { ...parts, PUBLIC_URL: "https://pay.example" });
    const names = out
      .trim()
      .split("\n")
      .map((line) => line.split(/ +/)[0]);
    expect(names).toEqual(["baseUrl", "projectId", "secretKey", "publishableKey", "webhookSecret"]);
  });

  test("finds the local product by the file it writes", async () => {
    const file = {
      baseUrl: "http://127.0.0.1:8080",
      gatewayDatabaseUrl: parts.GATEWAY_DATABASE_URL,
      gatewayCallerTokens: "any token of 32 characters or more",
      gatewayKeyPepper: PEPPER,
      webhooksAddress: parts.WEBHOOKS_ADDRESS,
      chainRpcUrl: product.chain.rpcUrl,
      chainId: 31_337,
      tokenAddress: product.chain.token.address,
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
    [
      ["--name", "a", "--variant", "c"],
      {},
      /^projects:create: --variant must be primary or b; usage: .+\n$/,
    ],
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

  describe("for another key", () => {
    function runKeys(args: string[], env: Record<string, string> = parts) {
      return run(args, env, runKeysCreate);
    }

    async function newProject() {
      return JSON.parse((await run(["--name", "Till", "--json"], parts)).out) as Record<
        string,
        string
      >;
    }

    test.each(["live", "test"])("gives a project that is there a %s key", async (mode) => {
      const { projectId = "", secretKey = "" } = await newProject();
      const { code, out, err } = await runKeys(["--project", projectId, "--mode", mode, "--json"]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const made = JSON.parse(out);
      expect(made).toEqual({
        projectId,
        keyId: expect.stringMatching(/^key_/),
        mode,
        secretKey: expect.stringMatching(new RegExp(`^sk_${mode}_`)),
      });
      expect((await me(made.secretKey)).body).toMatchObject({ id: projectId });
      const { body } = await product.gateway.ask("GET", "/v1/projects/me/keys", {
        headers: { "x-secret-key": secretKey },
      });
      expect(body.data[0]).toMatchObject({
        id: made.keyId,
        type: "secret",
        mode,
        scopes: [],
        createdBy: "operator",
      });
    });

    test("digests it under the current pepper of a list", async () => {
      const { projectId = "" } = await newProject();
      const env = { ...parts, GATEWAY_KEY_PEPPER: `1:${PEPPER},2:${"n".repeat(32)}` };
      const { out } = await runKeys(["--project", projectId, "--mode", "live", "--json"], env);
      expect((await me(JSON.parse(out).secretKey)).status).toBe(200);
    });

    test("needs neither the services nor their tokens, and prints lines", async () => {
      const { projectId = "" } = await newProject();
      const env = { GATEWAY_DATABASE_URL: parts.GATEWAY_DATABASE_URL ?? "" };
      const { out } = await runKeys(["--project", projectId, "--mode", "live"], {
        ...env,
        GATEWAY_KEY_PEPPER: PEPPER,
      });
      const names = out.trim().split("\n");
      expect(names.map((line) => line.split(/ +/)[0])).toEqual([
        "projectId",
        "keyId",
        "mode",
        "secretKey",
      ]);
    });

    test("finds the local product by the file it writes", async () => {
      const { projectId = "" } = await newProject();
      const file = { gatewayDatabaseUrl: parts.GATEWAY_DATABASE_URL, gatewayKeyPepper: PEPPER };
      writeFileSync(join(folder, "run.json"), JSON.stringify(file));
      const env = { DATA_DIR: folder };
      const { out } = await runKeys(["--project", projectId, "--mode", "live", "--json"], env);
      expect((await me(JSON.parse(out).secretKey)).status).toBe(200);
    });

    const unknown = `proj_${"A".repeat(24)}`;
    test.each([
      [["--mode", "live"], /^keys:create: --project must be an id; usage: .+\n$/],
      [["--project", "x", "--mode", "live"], /^keys:create: --project must be an id; usage: .+\n$/],
      [["--project", unknown], /^keys:create: --mode must be live or test; usage: .+\n$/],
      [["--project", unknown, "--mode", "live", "--x"], /^keys:create: usage: .+\n$/],
      [["--project", unknown, "--mode", "live"], /^keys:create: there is no project proj_A+\n$/],
    ])("%j says in one line what is wrong", async (args, line) => {
      const { code, out, err } = await runKeys(args);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(line);
    });
  });

  test("the error for a product that is down is one line, without its secrets", async () => {
    const { code, err } = await run(["--name", "a"], { ...parts, WEBHOOKS_ADDRESS: "127.0.0.1:1" });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^projects:create: the project could not be created .+ is the product running\?\n$/,
    );
    expect(err).not.toContain(PEPPER);
  });
});
