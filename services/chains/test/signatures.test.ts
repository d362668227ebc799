// Whether a wallet has signed a text, also where the wallet is a contract.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { callNode } from "@pay/embedded";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { DETERMINISTIC_DEPLOYER } from "@pay/values";
import { AbiCoder, concat, getCreate2Address, hashMessage, keccak256, Wallet } from "ethers";
import { describeChains, startTestChains, type TestChains } from "./chains.ts";

const TEXT = "pay_01JB8X";
const OTHER_TEXT = "pay_01JB8Y";

/** A contract that takes any signature of one text: it compares its first argument with the hash of the text. */
function codeFor(text: string): string {
  const magic = `63${"1626ba7e"}`;
  const isAsked = `7f${hashMessage(text).slice(2)}60043514`;
  return `0x${magic}${isAsked}0260e01b60005260206000f3`;
}

describeChains("a signature of a text", () => {
  let chain: TestChain;
  let proxies: [FaultProxy, FaultProxy];
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    proxies = [await chain.faultProxy(), await chain.faultProxy()];
    chains = await startTestChains({ chain, providers: proxies.map(({ url }) => url) });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
    await Promise.all((proxies ?? []).map((proxy) => proxy.stop()));
  });

  async function isValid(account: string, signature: string, ...texts: string[]): Promise<boolean> {
    const chainId = BigInt(chain.chainId);
    const claim = { chainId, account, texts: texts.length === 0 ? [TEXT] : texts, signature };
    return (await chains.client.checkSignature(claim)).isValid;
  }

  test("is valid for the wallet that made it, for that text alone", async () => {
    const [wallet, other] = [Wallet.createRandom(), Wallet.createRandom()];
    const signature = await wallet.signMessage(TEXT);
    expect(await isValid(wallet.address, signature)).toBe(true);
    expect(await isValid(wallet.address, signature, OTHER_TEXT)).toBe(false);
    expect(await isValid(wallet.address, signature, OTHER_TEXT, TEXT)).toBe(true);
    expect(await isValid(other.address, signature)).toBe(false);
    for (const junk of ["0x00", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`]) {
      expect(await isValid(wallet.address, junk)).toBe(false);
    }
  });

  async function contract(code: string, nth: number): Promise<string> {
    const account = `0x${"c0".repeat(19)}0${nth}`;
    await callNode(chain.rpcUrl, "anvil_setCode", [account, code]);
    return account;
  }

  test("is valid for a contract that accepts it", async () => {
    const wallet = await contract(codeFor(TEXT), 1);
    expect(await isValid(wallet, "0x1234")).toBe(true);
    expect(await isValid(wallet, "0x1234", OTHER_TEXT)).toBe(false);
    expect(await isValid(wallet, "0x1234", OTHER_TEXT, TEXT)).toBe(true);
    // One that reverts, and one that answers nothing.
    expect(await isValid(await contract("0x60006000fd", 2), "0x1234")).toBe(false);
    expect(await isValid(await contract("0x00", 3), "0x1234")).toBe(false);
  });

  test("is valid for a wallet that its factory has not created yet, and once it is created", async () => {
    const code = codeFor(TEXT).slice(2);
    const size = (code.length / 2).toString(16).padStart(2, "0");
    // Answers what is behind its own eleven bytes.
    const init = `0x60${size}80600b6000396000f3${code}`;
    const salt = `0x${"07".repeat(32)}`;
    const wallet = getCreate2Address(DETERMINISTIC_DEPLOYER, salt, keccak256(init));
    function wrap(own: string, input = concat([salt, init])) {
      const parts = [DETERMINISTIC_DEPLOYER, input, own];
      const wrapped = AbiCoder.defaultAbiCoder().encode(["address", "bytes", "bytes"], parts);
      return concat([wrapped, `0x${"6492".repeat(16)}`]);
    }

    expect(await isValid(wallet, "0x1234")).toBe(false);
    expect(await isValid(wallet, wrap("0x1234"))).toBe(true);
    expect(await isValid(wallet, wrap("0x1234"), OTHER_TEXT)).toBe(false);
    expect(await isValid(wallet, wrap("0x1234", "0x"))).toBe(false);
    expect(await isValid(wallet, `0x${"6492".repeat(16)}`)).toBe(false);
    // Nothing creates this wallet.
    expect(await isValid(Wallet.createRandom().address, wrap("0x1234"))).toBe(false);
    const [from = ""] = chain.accounts;
    await chain.submit({ from, to: DETERMINISTIC_DEPLOYER, data: concat([salt, init]) });
    expect(await chain.call("eth_getCode", [wallet, "latest"])).toBe(codeFor(TEXT));
    expect(await isValid(wallet, wrap("0x1234"))).toBe(true);
    expect(await isValid(wallet, wrap("0x1234"), OTHER_TEXT)).toBe(false);
  });

  test("is invalid for a contract unless all providers agree, and unknown while none responds", async () => {
    const wallet = await contract(codeFor(OTHER_TEXT), 4);
    const lie = `0x${"0".repeat(63)}1`;
    proxies[0].fail({ kind: "change", change: () => lie }, { methods: ["eth_call"] });
    expect(await isValid(wallet, "0x1234")).toBe(false);
    for (const proxy of proxies) proxy.fail({ kind: "hang-up" });
    await expect(
      chains.client.checkSignature({
        chainId: BigInt(chain.chainId),
        account: wallet,
        texts: [TEXT],
        signature: "0x1234",
      }),
    ).rejects.toThrow("No provider of the chain can check the signature");
    for (const proxy of proxies) proxy.heal();
    await until(() => isValid(wallet, "0x1234", OTHER_TEXT).catch(() => false), {
      what: "an answer of the providers that are back",
    });
  });
});
