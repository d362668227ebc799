// A token that another process has listed already, as while a new version is rolled out: its payments are open before
// the process that leads knows the token. That one cannot judge them yet, but it misses nothing.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { checksumAddress } from "@pay/values";
import { describeChains, PROJECT, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const [RECIPIENT, OTHER] = [`0x${"e".repeat(40)}`, `0x${"f".repeat(40)}`];
const tenant = { projectId: PROJECT, mode: Mode.TEST };
const LATER_SECONDS = 600;

describeChains("a token that only another process knows", () => {
  let chains: TestChains;
  let token = "";
  beforeEach(async () => {
    chains = await startTestChains();
    const listed = await chains.chain.deployToken({ symbol: "NEW", name: "New", decimals: 6 });
    token = listed.address;
  });
  afterEach(() => chains?.stop());

  async function open(more: {
    currency: string;
    created?: Date;
    recipientAddress?: string;
  }): Promise<string> {
    const id = await chains.open({ recipientAddress: RECIPIENT, ...more });
    await chains.watched(id);
    return id;
  }

  async function readSeen(id: string) {
    return (await chains.money(id, ({ seenBaseAmount }) => seenBaseAmount !== "0")).txHash;
  }

  test("is followed for a payment that waits for it", async () => {
    const id = await open({ currency: token });
    const txHash = await chains.chain.payToken({ to: RECIPIENT, value: AMOUNT, token });
    expect(await readSeen(id)).toBe(txHash);
  });

  test("is searched in the blocks that were read before the token was known", async () => {
    const { chain } = chains;
    await chains.followed();
    // A block that is read while no payment waits for a token: from there on all is kept in memory.
    await chain.mine();
    await chains.followed();
    await open({ currency: chain.token.address });
    const time = Math.floor(Date.now() / 1_000) + LATER_SECONDS;
    await chain.setNextBlockTime(time);
    const first = await chain.payToken({ to: RECIPIENT, value: AMOUNT, token });
    const second = await chain.payToken({ to: OTHER, value: AMOUNT, token });
    await chains.followed();
    const payment = { currency: token, created: new Date(time * 1_000) };
    expect(await readSeen(await open(payment))).toBe(first);
    await chain.mine();
    await chains.followed();
    expect(await readSeen(await open({ ...payment, recipientAddress: OTHER }))).toBe(second);
  });

  test("has its transfers listed in its own decimals", async () => {
    const { pool, client, chain } = chains;
    await pool.query(
      `insert into tokens (chain_id, address, symbol, name, decimals, enabled)
       values ($1, $2, 'NEW', 'New', 6, true)`,
      [chain.chainId, token],
    );
    const id = await open({ currency: token });
    await chain.payToken({ to: RECIPIENT, value: AMOUNT, token });
    await readSeen(id);
    const { transfers } = await client.listTransfers({ tenant, page: { limit: 1 } });
    expect(transfers).toMatchObject([{ currency: checksumAddress(token), decimals: 6 }]);
  });
});
