import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { type FaultProxy, PATIENCE_MS, type TestChain, testChain, until } from "@pay/testing";
import { toAddress, toTxHash } from "@pay/values";
import { register } from "prom-client";
import { createEndpoint } from "../src/providers/endpoint.ts";
import { createProviders, type Providers } from "../src/providers/providers.ts";
import { RpcError } from "../src/providers/rpc-error.ts";
import { describeChains, SHOP } from "./chains.ts";

const HOUR_MS = 3_600_000;

describeChains("the providers of a chain", () => {
  let chain: TestChain;
  let good: FaultProxy;
  let other: FaultProxy;
  let now: number;
  let providers: Providers;
  beforeAll(async () => {
    chain = await testChain();
    [good, other] = [await chain.faultProxy(), await chain.faultProxy()];
  });
  afterAll(() => chain?.stop());
  beforeEach(async () => {
    now = Date.parse("2026-03-01T12:00:00Z");
    good.heal();
    other.heal();
    providers?.close();
    await open(PATIENCE_MS);
  });
  /** Both have named their chain: the others are not kept waiting for one that is late. */
  async function open(timeoutMs: number, responseBytesMax = 100_000) {
    providers?.close();
    providers = createProviders({
      chainId: chain.chainId,
      endpoints: [good, other].map(({ url }, index) =>
        createEndpoint({ name: `provider ${index + 1}`, url, timeoutMs, responseBytesMax }),
      ),
      clock: { now: () => new Date(now) },
      log: createLog("test", "silent"),
    });
    await until(
      async () => {
        // A machine under load may answer one check too late.
        now += 10;
        return (await names()).length === 2;
      },
      { what: "both providers" },
    );
  }

  afterAll(() => providers?.close());

  async function names() {
    return (await providers.readers()).map(({ name }) => name);
  }

  function catchFault(asked: Promise<unknown>) {
    return asked.then(
      () => "none",
      (error: unknown) => (error instanceof RpcError ? error.fault : "another error"),
    );
  }

  test("are asked for their chain once an hour, and dropped when it has changed", async () => {
    expect(await names()).toEqual(["provider 1", "provider 2"]);
    const asked = good.calls("eth_chainId");
    expect(await names()).toHaveLength(2);
    expect(good.calls("eth_chainId")).toBe(asked);
    good.fail({ kind: "change", change: () => "0x1" }, { methods: ["eth_chainId"] });
    now += HOUR_MS + 1;
    const before = await faults();
    expect(await names()).toEqual(["provider 2"]);
    await until(async () => (await faults()) > before, { what: "the end of the check" });
    good.heal();
    now += 60_001;
    // The check runs beside the questions to the others.
    await until(async () => (await names()).length === 2);
    expect(await names()).toEqual(["provider 1", "provider 2"]);
  });

  test("rest for a growing while when they fail, and are asked first again when they answer", async () => {
    const [first] = await providers.readers();
    good.fail({ kind: "hang-up" });
    expect(await catchFault(first?.block("latest") ?? Promise.resolve())).toBe("network");
    for (const restMs of [50, 100, 200, 400]) {
      now += restMs - 1;
      const failed = await faults();
      expect(await names()).toEqual(["provider 2"]);
      expect(await faults()).toBe(failed);
      now += 1;
      // Its check runs beside the questions to the other.
      expect(await names()).toEqual(["provider 2"]);
      await until(async () => (await faults()) > failed, { what: "the end of the check" });
    }
    good.heal();
    now += 5_000;
    await until(async () => (await names()).length === 2, { what: "the one that is back" });
    expect(await names()).toEqual(["provider 1", "provider 2"]);
  });

  async function faults() {
    const values = (await register.getSingleMetric("chain_rpc_errors_total")?.get())?.values ?? [];
    return values.reduce((sum, { value }) => sum + value, 0);
  }

  test("are asked again at once for an answer that was lost, and go on being asked", async () => {
    const [first] = await providers.readers();
    const blocks = { methods: ["eth_getBlockByNumber"] };
    for (const fault of [{ kind: "hang-up" }, { kind: "status", status: 502 }] as const) {
      let asked = 0;
      good.fail(fault, { ...blocks, when: () => asked++ % 2 === 0 });
      expect(await first?.block("latest")).toMatchObject({ number: expect.any(Number) });
      expect(asked).toBe(2);
      good.heal();
      expect(await names()).toEqual(["provider 1", "provider 2"]);
    }
  });

  test("delay no question where one of them does not say that it is back", async () => {
    const [first] = await providers.readers();
    good.fail({ kind: "hang-up" });
    expect(await catchFault(first?.block("latest") ?? Promise.resolve())).toBe("network");
    good.fail({ kind: "stall" });
    const asked = good.calls("eth_chainId");
    now += 50;
    // Its check is under way for as long as a test waits.
    for (let times = 0; times < 3; times++) expect(await names()).toEqual(["provider 2"]);
    await until(() => good.calls("eth_chainId") > asked, { what: "the check" });
    expect(good.calls("eth_chainId")).toBe(asked + 1);
  });

  test("are probed in the background after a timeout on a range of logs", async () => {
    providers.close();
    await open(1_000);
    const [first] = await providers.readers();
    function isRange([filter]: unknown[]) {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      return fromBlock !== toBlock;
    }

    const tokens = new Set([toAddress(chain.token.address)]);
    good.fail({ kind: "stall" }, { methods: ["eth_getLogs"], when: isRange });
    const before = good.calls("eth_getLogs");
    const asked = first?.transfers({ fromBlock: 0, toBlock: 1, tokens }) ?? Promise.resolve();
    expect(await catchFault(asked)).toBe("timeout");
    let failed = await faults();
    async function restOn() {
      const count = await faults();
      if (count > failed) now += 5_000;
      failed = count;
    }

    now += 5_000;
    await until(
      async () => {
        expect(await names()).toEqual(["provider 2"]);
        await restOn();
        return good.calls("eth_getLogs") >= before + 3;
      },
      { what: "two questions in the background" },
    );
    // The other one loses an answer: it is waited for, instead of asking the one that owes the logs.
    const [second] = await providers.readers();
    other.fail({ kind: "hang-up" });
    expect(await catchFault(second?.block("latest") ?? Promise.resolve())).toBe("network");
    other.heal();
    const begun = performance.now();
    const readers = names();
    now += 50;
    // A machine under load may take longer than it is waited for.
    const isOther = (await readers)[0] === "provider 2";
    expect(isOther || performance.now() - begun > 200).toBe(true);
    good.heal();
    await until(
      async () => {
        await restOn();
        return (await names()).length === 2;
      },
      { what: "the one that is back" },
    );
  });

  test("that answer no more than little at a time are asked for less in one request", async () => {
    providers.close();
    await open(PATIENCE_MS, 20_000);
    await chain.mine(100);
    const [first] = await providers.readers();
    const numbers = Array.from({ length: 100 }, (_, at) => at + 1);
    const blocks = await first?.blocks(numbers);
    expect(blocks?.map((block) => block?.number)).toEqual(numbers);
    expect(await names()).toEqual(["provider 1", "provider 2"]);
  });

  test("do not rest for questions that are odd or heavy by themselves", async () => {
    const [first] = await providers.readers();
    const txHash = toTxHash(await chain.payNative({ to: SHOP, value: 1n }));
    const receipts = { methods: ["eth_getTransactionReceipt"] };
    good.fail({ kind: "change", change: () => ({ status: "?" }) }, receipts);
    expect(await catchFault(first?.receipt(txHash) ?? Promise.resolve())).toBe("implausible");
    good.fail({ kind: "change", change: () => "x".repeat(200_000) }, receipts);
    expect(await catchFault(first?.receipt(txHash) ?? Promise.resolve())).toBe("too_large");
    good.fail({ kind: "error", code: -32_000 }, receipts);
    expect(await catchFault(first?.receipt(txHash) ?? Promise.resolve())).toBe("refused");
    expect(await names()).toEqual(["provider 1", "provider 2"]);
    good.heal();
    providers.close();
    await open(2_000);
    const [impatient] = await providers.readers();
    good.fail({ kind: "stall" }, { methods: ["debug_traceTransaction"] });
    expect(await impatient?.trace(txHash)).toBeUndefined();
    expect(await names()).toEqual(["provider 1", "provider 2"]);
  });
});
