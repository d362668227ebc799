import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { callNode } from "@pay/embedded";
import type { FaultProxy, TestChain } from "@pay/testing";
import { testChain, until } from "@pay/testing";
import { keccak256 } from "ethers";
import { describeChains, startTestChains, type TestChains } from "./chains.ts";
import { SCRIBE, WALLET } from "./contracts.ts";

/** Of EIP-7702: what the account runs besides its key. */
const DELEGATION = `0xef0100${"7".repeat(40)}`;

describeChains("what stands against a refund", () => {
  let chains: TestChains;
  let chain: TestChain;
  let proxy: FaultProxy;
  let wallet: string;
  beforeAll(async () => {
    chain = await testChain();
    proxy = await chain.faultProxy();
    wallet = await chain.deploy(WALLET);
    const code = String(await callNode(chain.rpcUrl, "eth_getCode", [wallet, "latest"]));
    chains = await startTestChains({
      chain,
      providers: [proxy.url],
      tokens: [{ ...chain.token, feeOnTransfer: true }],
      environment: { CHAINS_WALLET_CODES: keccak256(code) },
    });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  function check(account?: string, currency = "native") {
    const asked = { chainId: BigInt(chain.chainId), currency, ...(account && { account }) };
    return chains.client.checkRefund(asked);
  }

  test("is a contract, unless its code is that of a person's wallet", async () => {
    const person = chain.accounts[5] ?? "";
    expect(await check(person)).toMatchObject({ accountIsContract: false, chargesFee: false });
    const delegated = chain.accounts[6] ?? "";
    await callNode(chain.rpcUrl, "anvil_setCode", [delegated, DELEGATION]);
    expect(await check(delegated)).toMatchObject({ accountIsContract: false });
    expect(await check(await chain.deploy(SCRIBE))).toMatchObject({ accountIsContract: true });
    expect(await check(wallet)).toMatchObject({ accountIsContract: false });
  });

  test("is a token that keeps a part of each transfer", async () => {
    const answer = await check(undefined, chain.token.address);
    expect(answer).toMatchObject({ chargesFee: true });
    expect(answer.accountIsContract).toBeUndefined();
  });

  test("is unknown for an account while no provider responds", async () => {
    proxy.fail({ kind: "hang-up" });
    const account = chain.accounts[7];
    expect((await check(account)).accountIsContract).toBeUndefined();
    proxy.heal();
    await until(async () => (await check(account)).accountIsContract === false, {
      what: "the answer of the provider",
    });
  });
});
