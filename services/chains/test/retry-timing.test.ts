// What keeps one hash waiting, and delays no other: a trace that does not come, and an error of the service itself.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const AMOUNT = 1_000_000n;
const TRACE = "debug_traceTransaction";

describeChains("a hash", () => {
  let chain: TestChain;
  let proxy: FaultProxy;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    proxy = await chain.faultProxy();
    // Longer than the other verdicts take, and than a test waits.
    const bounds = { rpcTimeoutMs: 120_000, verifyConcurrency: 2 };
    chains = await startTestChains({ chain, providers: [proxy.url], bounds });
  });
  afterAll(async () => {
    // What still waits for an answer ends with its connection.
    await proxy?.stop();
    await chains?.stop();
    await chain?.stop();
  });

  async function payments(count: number) {
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth++) {
      const recipientAddress = newWallet();
      const txHash = await chain.payToken({ to: recipientAddress, value: AMOUNT });
      ids.push(await chains.submit({ txHash, recipientAddress, currency: chain.token.address }));
    }
    return ids;
  }

  test("that fails with an error is verified again after a second, before its lease ends", async () => {
    // A sequence counts also what is undone.
    await chains.pool.query(`
      create sequence failures;
      create function fail() returns trigger language plpgsql as
        $$ begin perform nextval('failures'); raise exception 'out of order'; end $$;
      create trigger fails before insert on transfers for each statement execute function fail()`);
    const [id = ""] = await payments(1);
    await until(
      async () => {
        const { rows } = await chains.pool.query("select last_value::int as n from failures");
        return rows[0]?.n >= 3;
      },
      { what: "the third error" },
    );
    await chains.pool.query("drop trigger fails on transfers");
    await chains.paid(id, AMOUNT);
  });

  test("that waits for a trace delays no other hash", async () => {
    const wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value: AMOUNT });
    proxy.fail({ kind: "stall" }, { methods: [TRACE] });
    const recipientAddress = newWallet();
    const data = calls([{ to: recipientAddress, value: AMOUNT }]);
    const txHash = await chain.send({ to: wallet, data });
    await chains.submit({ txHash, recipientAddress });
    await until(() => proxy.calls(TRACE) > 0, { what: "the question for the trace" });
    for (const id of await payments(20)) {
      await chains.paid(id, AMOUNT);
    }
    // They are the first questions still: for the hash, and for the balance that it changed.
    expect(proxy.calls(TRACE)).toBeLessThanOrEqual(2);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting", waits_for: null });
  });
});
