import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { callNode, sendFrom, startAnvil } from "@pay/embedded";
import { Mode } from "@pay/proto";
import { type TestChain, testChain, until } from "@pay/testing";
import { checksumAddress } from "@pay/values";
import { readSignersCommand, runSigners } from "../src/payouts/signers-command.ts";
import { describeChains, PROJECT, SHOP, startTestChains } from "./chains.ts";
import { WALLET } from "./contracts.ts";

const AMOUNT = 1_000_000n;
const BASE_SEPOLIA = 84_532;
const OTHER_SHOP = `0x${"5".repeat(40)}`;

describeChains("the catalog", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await testChain();
  });
  afterAll(() => chain?.stop());

  test("offers the local chain with its tokens as soon as the service answers", async () => {
    const chains = await startTestChains({ chain });
    try {
      expect((await chains.client.listChains({})).chains).toMatchObject([
        {
          chainId: 31_337n,
          name: "Local chain",
          symbol: "ETH",
          rpcUrl: chain.rpcUrl,
          isTestnet: true,
          nativeDecimals: 18,
          confirmationsNeeded: 1,
          blockTimeMs: 1_000,
          hasDepositAddresses: true,
          tokens: [
            {
              symbol: "TUSD",
              name: "Test Dollar",
              decimals: 6,
              chainId: 31_337n,
              address: checksumAddress(chain.token.address),
            },
          ],
        },
      ]);
      const [local] = (await chains.client.listChains({})).chains;
      expect(local?.blockExplorerUrl).toBeUndefined();
      await until(async () => {
        const [followed] = (await chains.client.listChains({})).chains;
        return followed?.headNumber !== undefined;
      });
    } finally {
      await chains.stop();
    }
  });

  test("has deposit addresses once their factory is deployed, by the transaction that a command prints", async () => {
    const bare = await startAnvil({ chainId: BASE_SEPOLIA });
    const chains = await startTestChains({
      chain,
      environment: { CHAINS_PROVIDERS: JSON.stringify({ [BASE_SEPOLIA]: [bare.rpcUrl] }) },
    });
    async function hasThem() {
      const listed = (await chains.client.listChains({})).chains;
      return listed.find(({ chainId }) => chainId === BigInt(BASE_SEPOLIA))?.hasDepositAddresses;
    }

    try {
      expect(await hasThem()).toBe(false);
      const read = readSignersCommand(["factory"]);
      const lines = await runSigners(chains.database.database, read);
      expect(lines).toContainEqual(
        expect.stringContaining("84532 Base Sepolia: no deposit addresses"),
      );
      const [to = "", data = ""] = lines.slice(-2).map((line) => line.split(" ")[1]);
      const [from = ""] = (await callNode(bare.rpcUrl, "eth_accounts")) as string[];
      await sendFrom(bare.rpcUrl, { from, to, data });
      await until(hasThem);
      expect(await runSigners(chains.database.database, read)).toContain(
        "84532 Base Sepolia: works",
      );
    } finally {
      await chains.stop();
      await bare.stop();
    }
  });

  test("says how far a chain is followed, without a call to its providers", async () => {
    const twin = await testChain({ chainId: BASE_SEPOLIA });
    const proxy = await twin.faultProxy();
    const chains = await startTestChains({
      chain,
      environment: {
        CHAINS_PROVIDERS: JSON.stringify({ [BASE_SEPOLIA]: [proxy.url, twin.rpcUrl] }),
      },
    });
    const tenant = { projectId: PROJECT, mode: Mode.TEST };
    async function read(asked = tenant) {
      return (await chains.client.listHealth({ tenant: asked })).chains;
    }

    try {
      for (const recipientAddress of [SHOP, SHOP, OTHER_SHOP]) {
        await chains.watched(await chains.open({ recipientAddress }));
      }
      const [local] = await until(async () => {
        const found = await read();
        return found[0]?.chainHead !== undefined && found[0].secondsBehind === 0 && found;
      });
      expect(local).toMatchObject({
        chain: { chainId: 31_337n, name: "Local chain", headNumber: BigInt(await chain.head()) },
        chainHead: BigInt(await chain.head()),
        finality: { mode: "confirmations", confirmations: 1 },
        providersAnswering: 1,
        providersConfigured: 1,
        watchedAddresses: 2,
      });
      proxy.fail({ kind: "hang-up" });
      await until(async () => (await read())[1]?.providersAnswering === 1);
      expect((await read())[1]).toMatchObject({ providersConfigured: 2, watchedAddresses: 0 });
      for (const stranger of [
        { ...tenant, mode: Mode.LIVE },
        { ...tenant, projectId: "proj_stranger" },
      ]) {
        const addresses = (await read(stranger)).map(({ watchedAddresses }) => watchedAddresses);
        expect(addresses).toEqual([0, 0]);
      }
    } finally {
      await chains.stop();
      await twin.stop();
    }
  });

  test("offers a token only when its contract says the decimals it is listed with", async () => {
    const other = await chain.deployToken({ symbol: "WIDE", name: "Wide", decimals: 18 });
    const notAToken = await chain.deploy(WALLET);
    const listed = [
      chain.token,
      { ...other, decimals: 6 },
      { symbol: "NONE", name: "None", decimals: 6, address: notAToken },
      { symbol: "VOID", name: "Void", decimals: 6, address: SHOP },
    ];
    const chains = await startTestChains({ chain, tokens: listed });
    try {
      const [local] = (await chains.client.listChains({})).chains;
      expect(local?.tokens.map(({ symbol }) => symbol)).toEqual(["TUSD"]);
    } finally {
      await chains.stop();
    }
  });

  test("offers a well-known chain only where a provider has said its id", async () => {
    const sepolia = await testChain({ chainId: BASE_SEPOLIA });
    const proxy = await sepolia.faultProxy();
    proxy.fail({ kind: "hang-up" });
    const providers = { [BASE_SEPOLIA]: [proxy.url], 1: [sepolia.rpcUrl] };
    const chains = await startTestChains({
      chain,
      environment: { CHAINS_PROVIDERS: JSON.stringify(providers) },
    });
    async function ids() {
      return (await chains.client.listChains({})).chains.map((c) => c.chainId);
    }

    try {
      expect(await ids()).toEqual([31_337n]);
      proxy.heal();
      await until(async () => (await ids()).length === 2);
      const [, base] = (await chains.client.listChains({})).chains;
      expect(base).toMatchObject({
        chainId: 84_532n,
        name: "Base Sepolia",
        rpcUrl: "https://sepolia.base.org",
        blockExplorerUrl: "https://sepolia.basescan.org",
      });
    } finally {
      await chains.stop();
      await sepolia.stop();
    }
  });

  test("a transaction counts on the chain of its payment only", async () => {
    const twin = await testChain({ chainId: BASE_SEPOLIA });
    const chains = await startTestChains({
      chain,
      environment: {
        CHAINS_PROVIDERS: JSON.stringify({ [BASE_SEPOLIA]: [twin.rpcUrl] }),
        CHAINS_FINALITY: JSON.stringify({
          [BASE_SEPOLIA]: { mode: "confirmations", confirmations: 1 },
        }),
      },
    });
    try {
      const txHash = await chain.payNative({ to: SHOP, value: AMOUNT });
      const here = await chains.submit({ txHash });
      const there = await chains.submit({ txHash, chainId: BigInt(BASE_SEPOLIA) });
      await chains.paid(here, AMOUNT);
      await until(async () => {
        const { rows } = await chains.pool.query(
          "select state, misses from transactions where chain_id = $1 and tx_hash = $2",
          [BASE_SEPOLIA, txHash],
        );
        return rows[0]?.state === "waiting" && rows[0].misses > 0;
      });
      const unpaid = chains.told.filter(({ money }) => money.paymentId === there);
      for (const { money } of unpaid) {
        expect(money).toMatchObject({ seenBaseAmount: "0", hashes: [{ isMined: false }] });
      }
      // To another address, where no payment waits that it could be found for.
      const recipientAddress = `0x${"4".repeat(40)}`;
      const paidThere = await twin.payNative({ to: recipientAddress, value: AMOUNT });
      const id = await chains.submit({
        txHash: paidThere,
        chainId: BigInt(BASE_SEPOLIA),
        recipientAddress,
      });
      expect((await chains.paid(id, AMOUNT)).chainId).toBe(BigInt(BASE_SEPOLIA));
    } finally {
      await chains.stop();
      await twin.stop();
    }
  });

  test("counts what a judged transaction has left, and says when it cannot tell", async () => {
    const chains = await startTestChains({ chain });
    const { address } = chain.token;
    async function count(txHash: string, currency: string, recipientAddress = SHOP) {
      const tenant = { projectId: PROJECT, mode: Mode.TEST };
      const asked = { tenant, chainId: 31_337n, txHash, currency, recipientAddress };
      const { known, unused } = await chains.client.countUnusedTransfers(asked);
      return { known, unused };
    }

    try {
      const txHash = await chain.payToken({ to: SHOP, value: AMOUNT });
      expect(await count(txHash, address)).toEqual({ known: false, unused: 0 });
      const small = { txHash, currency: address, baseAmount: `${AMOUNT / 2n}` };
      const id = await chains.submit(small);
      await chains.money(id, ({ needs }) => needs === "payer_signature");
      expect(await count(txHash, address)).toEqual({ known: true, unused: 1 });
      await chains.submit({ id, txHash, isAssigned: true });
      await chains.paid(id, AMOUNT);
      expect(await count(txHash, address)).toEqual({ known: true, unused: 0 });
      expect(await count(txHash, "native")).toEqual({ known: false, unused: 0 });
      expect(await count(txHash, address, address)).toEqual({ known: false, unused: 0 });
    } finally {
      await chains.stop();
    }
  });
});
