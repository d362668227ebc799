// The operator takes a chain out of the configuration while payments run.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { order, startTestPayments, type TestPayments } from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments();
});
afterAll(() => payments?.stop());

async function create(chainId: bigint) {
  const { results } = await payments.client.batchCreatePayments({ requests: [order({ chainId })] });
  return results[0]?.result;
}

test("a removed chain takes no new payment without a restart, and open payments stay", async () => {
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
