// The catalog of chains that a new payment needs: it may be away at first, and lose a chain while payments run.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { leasePort } from "@pay/embedded";
import { until } from "@pay/testing";
import { order, startTestPayments, type TestPayments, tenant } from "./payments.ts";

let payments: TestPayments;

describe("while no chain is known", () => {
  beforeAll(async () => {
    payments = await startTestPayments({ rpcUrl: `http://127.0.0.1:${await leasePort()}` });
  });
  afterAll(() => payments?.stop());

  test("the service is ready and lists payments", async () => {
    const { payments: listed } = await payments.client.listPayments({
      tenant,
      page: { page: 1, limit: 5 },
    });
    expect(listed).toEqual([]);
  });

  test("a new payment fails with service_unavailable", async () => {
    const { results } = await payments.client.batchCreatePayments({ requests: [order()] });
    expect(results[0]?.result).toMatchObject({
      case: "failure",
      value: { code: "service_unavailable" },
    });
  });
});

describe("after the operator removes a chain", () => {
  beforeAll(async () => {
    payments = await startTestPayments();
  });
  afterAll(() => payments?.stop());

  async function create(chainId: bigint) {
    const { results } = await payments.client.batchCreatePayments({
      requests: [order({ chainId })],
    });
    return results[0]?.result;
  }

  test("it takes no new payment without a restart, and open payments stay", async () => {
    const { id } = await payments.create();
    await payments.configureOtherChain();
    const refused = await until(
      async () => {
        const result = await create(31_337n);
        return result?.case === "failure" ? result.value : undefined;
      },
      { what: "the refusal of the chain" },
    );
    expect(refused.code).toBe("chain_unsupported");
    expect((await create(5_151n))?.case).toBe("payment");
    expect(await payments.status(id)).toBe("created");
  });
});
