// The rows of the specification's endpoint tables that are not about payments: customers, projects, chains, tokens.
import { describe, expect, test } from "@jest/globals";
import { checksumAddress } from "@pay/values";
import { type Answer, refusal } from "./ask.ts";
import { expectFields, FIELDS, ISO_TIME } from "./documented.ts";
import { askWith, PAYER, type Product } from "./product.ts";

const WALLET = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

export interface Records {
  product: Product;
  secret: ReturnType<typeof askWith>;
  publishable: ReturnType<typeof askWith>;
}

/** The product runs by the time a test asks for it. */
export function describeRecords(records: () => Records): void {
  const secret: Records["secret"] = (...asked) => records().secret(...asked);
  function chainOfProduct() {
    return records().product.credentials.chainId;
  }

  const publishable: Records["publishable"] = (...asked) => records().publishable(...asked);

  describe("customers", () => {
    const details = { email: "zoe@shop.example", displayName: "Zoë", metadata: { plan: "gold" } };
    async function create(more: object = details): Promise<Answer> {
      return secret("POST", "/v1/customers", { walletAddress: WALLET, ...more });
    }

    test("POST /v1/customers answers 201 with the documented fields", async () => {
      const { status, body } = await create();
      expect(status).toBe(201);
      expectFields(body, FIELDS.createdCustomer);
      expect(body).toEqual({
        id: expect.stringMatching(/^cust_[0-9A-Za-z]{24}$/),
        walletAddress: WALLET,
        ...details,
        createdAt: expect.stringMatching(ISO_TIME),
      });
    });

    test("POST /v1/customers with the wallet alone shows null for the others", async () => {
      const { status, body } = await create({});
      expect(status).toBe(201);
      expectFields(body, FIELDS.createdCustomer);
      expect(body).toMatchObject({ email: null, displayName: null, metadata: null });
    });

    test("GET /v1/customers/{id} does not show e-mail and metadata", async () => {
      const { body: made } = await create();
      const { status, body } = await secret("GET", `/v1/customers/${made.id}`);
      expect(status).toBe(200);
      expectFields(body, FIELDS.readCustomer);
      const { id, walletAddress, displayName, createdAt } = made;
      expect(body).toEqual({ id, walletAddress, displayName, createdAt });
    });

    test("GET /v1/customers lists them newest first", async () => {
      const { body: made } = await create();
      const { status, body } = await secret("GET", "/v1/customers?page=1&limit=2");
      expect(status).toBe(200);
      expectFields(body, FIELDS.list);
      expect(body.data[0].id).toBe(made.id);
      for (const item of body.data) expectFields(item, FIELDS.readCustomer);
    });

    test("PUT /v1/customers/{id} changes the two fields that may change", async () => {
      const { body: made } = await create();
      const change = { displayName: "Zoë B.", walletAddress: PAYER, email: "other@shop.example" };
      const { status, body } = await secret("PUT", `/v1/customers/${made.id}`, change);
      expect(status).toBe(200);
      expectFields(body, FIELDS.updatedCustomer);
      expect(body).toEqual({ id: made.id, displayName: "Zoë B.", metadata: details.metadata });
      const read = await secret("GET", `/v1/customers/${made.id}?expand=email`);
      expect(read.body).toMatchObject({ walletAddress: WALLET, email: details.email });
    });

    test("DELETE /v1/customers/{id} succeeds once", async () => {
      const { body: made } = await create();
      const path = `/v1/customers/${made.id}`;
      const { status, body } = await secret("DELETE", path);
      expect([status, body]).toEqual([200, { deleted: true, id: made.id }]);
      expectFields(body, FIELDS.deleted);
      for (const method of ["GET", "DELETE"]) {
        const gone = await secret(method, path);
        expect([gone.status, gone.body]).toEqual([
          404,
          refusal(404, "Not Found", "Customer not found"),
        ]);
      }
    });
  });

  describe("projects", () => {
    test("GET /v1/projects/me of a new project shows null for what was never set", async () => {
      const { secretKey, projectId } = await records().product.createProject("New");
      const { status, body } = await askWith(records().product.ask, secretKey)(
        "GET",
        "/v1/projects/me",
      );
      expect(status).toBe(200);
      expectFields(body, FIELDS.project);
      expect(body).toEqual({
        id: projectId,
        name: "New",
        callbackUrl: null,
        allowedOrigins: [],
        brandingConfig: null,
      });
    });

    test("PUT /v1/projects/me takes branding and gives brandingConfig back", async () => {
      const branding = { primaryColor: "#1A73E8" };
      const change = {
        name: "Mug shop",
        branding,
        allowedOrigins: ["https://shop.example/"],
        callbackUrl: "https://shop.example/webhooks",
      };
      const { status, body } = await secret("PUT", "/v1/projects/me", change);
      expect(status).toBe(200);
      expectFields(body, FIELDS.savedProject);
      const { projectId: id } = records().product.credentials;
      const saved = { id, name: "Mug shop", callbackUrl: change.callbackUrl };
      expect(body).toEqual(saved);
      const read = await secret("GET", "/v1/projects/me");
      expect(read.body).toEqual({
        ...saved,
        allowedOrigins: ["https://shop.example"],
        brandingConfig: branding,
      });
    });
  });

  describe("projects in test mode", () => {
    async function openTrial() {
      const made = await secret("POST", "/v1/projects/me/keys", { type: "secret", mode: "test" });
      return askWith(records().product.ask, made.body.key);
    }

    test("PUT /v1/projects/me does not change what live traffic depends on", async () => {
      const trial = await openTrial();
      const before = (await secret("GET", "/v1/projects/me")).body;
      const needs: [object, string][] = [
        [{ name: "Trial" }, "a live key"],
        [{ branding: null }, "a live key"],
        [{ allowedOrigins: [] }, "an unrestricted live key"],
      ];
      for (const [change, key] of needs) {
        const field = Object.keys(change).join();
        const { status, body } = await trial("PUT", "/v1/projects/me", change);
        const message = `${field} can only be changed with ${key}`;
        expect([status, body]).toEqual([403, refusal(403, "Forbidden", message)]);
      }
      expect((await secret("GET", "/v1/projects/me")).body).toEqual(before);
    });

    test("PUT /v1/projects/me with a first callbackUrl shows the test secret, and never again", async () => {
      const trial = await openTrial();
      const change = { callbackUrl: "https://shop.example/trials" };
      const { status, body } = await trial("PUT", "/v1/projects/me", change);
      expect(status).toBe(200);
      expectFields(body, [...FIELDS.savedProject, "webhookSecret"]);
      expect(body).toMatchObject(change);
      for (const next of [change, { callbackUrl: null }, change]) {
        const again = await trial("PUT", "/v1/projects/me", next);
        expectFields(again.body, FIELDS.savedProject);
      }
      expect((await trial("GET", "/v1/projects/me")).body).toMatchObject(change);
    });
  });

  describe("chains and tokens", () => {
    test("GET /v1/chains is a bare array of chains", async () => {
      const { status, body } = await publishable("GET", "/v1/chains");
      const chainId = chainOfProduct();
      expect(status).toBe(200);
      expect(Array.isArray(body)).toBe(true);
      for (const chain of body) expectFields(chain, FIELDS.chain);
      const local = body.find((chain: { chainId: number }) => chain.chainId === chainId);
      expect(local).toMatchObject({ blockExplorerUrl: null, isTestnet: true });
    });

    test("GET /v1/chains/{chainId}/tokens is a bare array of the chain's tokens", async () => {
      const chainId = chainOfProduct();
      const { status, body } = await publishable("GET", `/v1/chains/${chainId}/tokens`);
      expect(status).toBe(200);
      const address = checksumAddress(records().product.credentials.tokenAddress);
      expect(body).toEqual([
        { symbol: "TUSD", name: "Test Dollar", address, decimals: 6, chainId },
      ]);
      for (const token of body) expectFields(token, FIELDS.token);
      const unknown = await publishable("GET", "/v1/chains/424242424242/tokens");
      expect([unknown.status, unknown.body]).toEqual([
        404,
        refusal(404, "Not Found", "Chain not found"),
      ]);
    });

    test("GET /v1/tokens is a bare array of the tokens of all chains", async () => {
      const { status, body } = await publishable("GET", "/v1/tokens");
      expect(status).toBe(200);
      const { body: chains } = await publishable("GET", "/v1/chains");
      const counts = await Promise.all(
        chains.map(async (chain: { chainId: number }) => {
          const { body: tokens } = await publishable("GET", `/v1/chains/${chain.chainId}/tokens`);
          return tokens.length;
        }),
      );
      expect(body).toHaveLength(counts.reduce((sum: number, count) => sum + count, 0));
      for (const token of body) expectFields(token, FIELDS.token);
    });
  });
}
