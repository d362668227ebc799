import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Anvil, startAnvil } from "../src/anvil/anvil.ts";
import { callNode } from "../src/anvil/dev-rpc.ts";
import {
  deployTestToken,
  sendFrom,
  type TestToken,
  transferData,
} from "../src/anvil/test-token.ts";

const SUPPLY = 1_000_000_000_000n;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const MAX = 2n ** 256n - 1n;

let anvil: Anvil;
let token: TestToken;
let holder: string;
let buyer: string;
let spender: string;

beforeAll(async () => {
  anvil = await startAnvil();
  const accounts = (await callNode(anvil.rpcUrl, "eth_accounts")) as string[];
  [holder, buyer, spender] = accounts as [string, string, string];
  token = await deployTestToken(anvil.rpcUrl, {
    symbol: "TUSD",
    name: "Test Dollar",
    decimals: 6,
    supply: SUPPLY,
  });
});

afterAll(() => anvil.stop());

function word(value: bigint | string) {
  return (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0");
}

async function call(data: string, from?: string) {
  return (await callNode(anvil.rpcUrl, "eth_call", [
    { to: token.address, data, from },
    "latest",
  ])) as string;
}

function send(from: string, data: string, value = "0x0") {
  return sendFrom(anvil.rpcUrl, { from, to: token.address, data, value, gas: "0x30d40" });
}

async function readBalance(owner: string) {
  return BigInt(await call(`0x70a08231${word(owner)}`));
}

async function allowance(owner: string, by: string) {
  return BigInt(await call(`0xdd62ed3e${word(owner)}${word(by)}`));
}

function approve(from: string, by: string, value: bigint) {
  return send(from, `0x095ea7b3${word(by)}${word(value)}`);
}

function transferFrom(by: string, from: string, to: string, value: bigint) {
  return send(by, `0x23b872dd${word(from)}${word(to)}${word(value)}`);
}

interface Receipt {
  status: string;
  logs: { address: string; topics: string[]; data: string }[];
}
async function fetchReceipt(hash: string) {
  return (await callNode(anvil.rpcUrl, "eth_getTransactionReceipt", [hash])) as Receipt;
}

function toText(hex: string): string {
  const bytes = Buffer.from(hex.slice(2), "hex");
  expect(bytes.readBigUInt64BE(24)).toBe(32n);
  const length = Number(bytes.readBigUInt64BE(56));
  return bytes.subarray(64, 64 + length).toString();
}

describe("the test token", () => {
  test("tells its name, symbol, decimals and supply as the standard asks", async () => {
    expect(toText(await call("0x06fdde03"))).toBe("Test Dollar");
    expect(toText(await call("0x95d89b41"))).toBe("TUSD");
    expect(BigInt(await call("0x313ce567"))).toBe(6n);
    expect(BigInt(await call("0x18160ddd"))).toBe(SUPPLY);
  });

  test("tells a name longer than a word, and a symbol of exactly one word, in full", async () => {
    const name = "A dollar whose name takes more than one word of the chain";
    const symbol = "S".repeat(32);
    const { address } = await deployTestToken(anvil.rpcUrl, {
      symbol,
      name,
      decimals: 0,
      supply: 1n,
    });
    async function ask(data: string) {
      return (await callNode(anvil.rpcUrl, "eth_call", [
        { to: address, data },
        "latest",
      ])) as string;
    }

    expect(toText(await ask("0x06fdde03"))).toBe(name);
    expect(toText(await ask("0x95d89b41"))).toBe(symbol);
    expect(BigInt(await ask("0x313ce567"))).toBe(0n);
  });

  test("is deployed once: the same options find the same contract", async () => {
    const before = await callNode(anvil.rpcUrl, "eth_blockNumber");
    const again = await deployTestToken(anvil.rpcUrl, {
      symbol: "TUSD",
      name: "Test Dollar",
      decimals: 6,
      supply: SUPPLY,
    });
    expect(again).toEqual(token);
    expect(await callNode(anvil.rpcUrl, "eth_blockNumber")).toBe(before);
  });

  test("logged its whole supply as a transfer from the zero address to the holder", async () => {
    const filter = { address: token.address, fromBlock: "0x0", toBlock: "latest" };
    const [minted] = (await callNode(anvil.rpcUrl, "eth_getLogs", [filter])) as Receipt["logs"];
    expect(minted?.topics).toEqual([TRANSFER, `0x${word("0x0")}`, `0x${word(holder)}`]);
    expect(BigInt(minted?.data ?? 0)).toBe(SUPPLY);
  });

  test("moves what the sender has and logs it", async () => {
    const before = await readBalance(holder);
    const { status, logs } = await fetchReceipt(
      await send(holder, transferData(buyer, 2_500_000n)),
    );
    expect(status).toBe("0x1");
    expect(logs).toHaveLength(1);
    expect(logs[0]?.topics).toEqual([TRANSFER, `0x${word(holder)}`, `0x${word(buyer)}`]);
    expect(logs[0]?.data).toBe(`0x${word(2_500_000n)}`);
    expect(await readBalance(buyer)).toBe(2_500_000n);
    expect(await readBalance(holder)).toBe(before - 2_500_000n);
    expect(BigInt(await call(transferData(buyer, 1n), holder))).toBe(1n);
  });

  test("a transfer to oneself changes nothing", async () => {
    const before = await readBalance(buyer);
    expect((await fetchReceipt(await send(buyer, transferData(buyer, 7n)))).status).toBe("0x1");
    expect(await readBalance(buyer)).toBe(before);
  });

  test.each([
    ["more than the sender has", () => transferData(buyer, SUPPLY + 1n)],
    ["to the zero address", () => transferData("0x0000000000000000000000000000000000000000", 1n)],
    ["to something longer than an address", () => `0xa9059cbb${"f".repeat(64)}${word(1n)}`],
    ["without an amount", () => `0xa9059cbb${word(buyer)}`],
    ["through an unknown function", () => "0xdeadbeef"],
    ["without a function", () => "0x"],
  ])("reverts a transfer %s", async (_what, data) => {
    const before = await readBalance(holder);
    const { status, logs } = await fetchReceipt(await send(holder, data()));
    expect(status).toBe("0x0");
    expect(logs).toEqual([]);
    expect(await readBalance(holder)).toBe(before);
  });

  test("refuses native coins", async () => {
    expect((await fetchReceipt(await send(holder, transferData(buyer, 1n), "0x1"))).status).toBe(
      "0x0",
    );
  });

  test("lets another move as much as was approved and no more", async () => {
    const { logs } = await fetchReceipt(await approve(holder, spender, 100n));
    expect(logs[0]?.topics).toEqual([APPROVAL, `0x${word(holder)}`, `0x${word(spender)}`]);
    expect(await allowance(holder, spender)).toBe(100n);
    const before = await readBalance(buyer);
    const moved = await fetchReceipt(await transferFrom(spender, holder, buyer, 60n));
    expect(moved.status).toBe("0x1");
    expect(moved.logs[0]?.topics).toEqual([TRANSFER, `0x${word(holder)}`, `0x${word(buyer)}`]);
    expect(await allowance(holder, spender)).toBe(40n);
    expect(await readBalance(buyer)).toBe(before + 60n);
    expect((await fetchReceipt(await transferFrom(spender, holder, buyer, 41n))).status).toBe(
      "0x0",
    );
    expect(await allowance(holder, spender)).toBe(40n);
    expect(await allowance(spender, holder)).toBe(0n);
  });

  test("an approval of the greatest amount is never used up", async () => {
    await approve(holder, spender, MAX);
    await transferFrom(spender, holder, buyer, 5n);
    expect(await allowance(holder, spender)).toBe(MAX);
  });

  test("keeps its supply through all of it", async () => {
    const balances = await Promise.all([holder, buyer, spender].map(readBalance));
    expect(balances.reduce((sum, balance) => sum + balance, 0n)).toBe(SUPPLY);
  });
});
