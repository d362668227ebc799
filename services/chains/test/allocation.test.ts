import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { type TestChain, testChain, until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  describeChains,
  PROJECT,
  SHOP,
  type Submitted,
  startTestChains,
  type TestChains,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const UNKNOWN = `0x${"cd".repeat(32)}`;
const STRANGER = "proj_BBBBBBBBBBBBBBBBBBBBBBBB";
const MINUTE_MS = 60_000;
function ago(ms: number) {
  return timestampFromDate(new Date(Date.now() - ms));
}

type Terms = Partial<Omit<Submitted, "$typeName" | "$unknown" | "txHash">>;

describeChains("a transfer that several payments claim", () => {
  let chains: TestChains;
  let chain: TestChain;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains();
    chain = chains.chain;
    buyer = (chain.accounts[1] ?? "").toLowerCase();
  });
  afterAll(() => chains?.stop());

  function pay(value = AMOUNT) {
    return chain.payNative({ from: buyer, to: SHOP, value });
  }

  async function reasonFor(id: string) {
    return (await chains.verdict(id)).observation.reason;
  }

  async function submitAll(txHash: string, all: readonly Terms[]) {
    const ids: string[] = [];
    for (const terms of all) ids.push(await chains.submit({ txHash, ...terms }));
    return ids;
  }

  /** Reasons of all that claim a transaction which is mined after them; only the given one is looked at then. */
  async function readReasons(all: readonly Terms[], lookedAt: number): Promise<string[]> {
    await chain.mineAtOnce(false);
    const txHash = await chain.submit({ from: buyer, to: SHOP, value: AMOUNT });
    const ids = await submitAll(txHash, all);
    for (const id of ids) await until(async () => (await chains.candidate(id)).sender);
    await chains.pool.query(
      `update candidates set next_at = case when subject_id = $1 then now() else now() + interval '1 hour' end
       where subject_id = any($2)`,
      [ids[lookedAt], ids],
    );
    await chain.mineAtOnce(true);
    await chain.mine();
    await chains.pool.query("update candidates set next_at = now() where subject_id = $1", [
      ids[lookedAt],
    ]);
    return Promise.all(ids.map(reasonFor));
  }

  test.each([
    ["that names no payer", {}],
    ["that names the same payer", { payerAddress: "buyer" }],
    ["in live mode", { projectId: PROJECT, mode: Mode.LIVE }],
  ])("is not taken from a merchant by another tenant's order of one wei %s", async (_, terms) => {
    const txHash = await pay();
    const payerAddress = "payerAddress" in terms ? { payerAddress: buyer } : {};
    const theirs = await submitAll(
      txHash,
      Array.from({ length: 10 }, () => ({
        projectId: STRANGER,
        ...terms,
        ...payerAddress,
        baseAmount: "1",
      })),
    );
    for (const id of theirs) await chains.verdict(id);
    const tenant = { projectId: PROJECT, mode: Mode.TEST };
    const asked = { tenant, chainId: 31_337n, txHash, currency: "native", recipientAddress: SHOP };
    expect(await chains.client.countUnusedTransfers(asked)).toMatchObject({
      known: true,
      unused: 1,
    });
    const mine = await chains.submit({ txHash });
    expect(await chains.verdict(mine)).toMatchObject({ type: "transfer.confirmed" });
    expect(await chains.client.countUnusedTransfers(asked)).toMatchObject({ unused: 0 });
    const { transfers } = await chains.client.batchGetTransfers({ tenant, subjectIds: [mine] });
    expect(transfers).toMatchObject([{ txHash, subjectId: mine }]);
  });

  test("pays its payment although another tenant has a payment of the same id", async () => {
    const [named, found] = [newId("pay"), newId("pay")];
    const shop = `0x${"5c".repeat(20)}`;
    const recipient = { recipientAddress: shop };
    const owner = { projectId: STRANGER, mode: Mode.TEST };
    const theirs = { ...owner, ...recipient, baseAmount: "1", version: 9 };
    async function readProof(projectId: string, id: string) {
      const proof = await until(() =>
        chains.seen.find(
          (event) =>
            event.type === "transfer.confirmed" &&
            event.projectId === projectId &&
            event.observation.subjectId === id,
        ),
      );
      return proof.id;
    }

    const txHash = await chain.payNative({ from: buyer, to: shop, value: AMOUNT });
    await chains.submit({ ...theirs, id: named, txHash });
    const theirProof = await readProof(STRANGER, named);
    await chains.submit({ ...recipient, id: named, txHash });
    expect(await readProof(PROJECT, named)).not.toBe(theirProof);
    for (const projectId of [PROJECT, STRANGER]) {
      const tenant = { projectId, mode: Mode.TEST };
      const { transfers } = await chains.client.batchGetTransfers({ tenant, subjectIds: [named] });
      expect(transfers).toMatchObject([{ txHash, subjectId: named }]);
    }

    const closed = { type: "payment.confirmed", status: "confirmed", txHash } as const;
    await chains.open({ ...theirs, ...closed, id: found });
    await chains.open({ ...recipient, id: found });
    await until(async () => {
      const watches = "select from watches where payment_id = $1";
      return (await chains.pool.query(watches, [found])).rowCount === 2;
    });
    await chain.payNative({ from: buyer, to: shop, value: AMOUNT });
    await readProof(PROJECT, found);
  });

  test("is not blocked by an order that declared the sender and an unknown hash", async () => {
    await chains.submit({ txHash: UNKNOWN, payerAddress: buyer });
    await chains.submit({ txHash: UNKNOWN, payerAddress: buyer, projectId: STRANGER });
    // Named before it is mined: a hash that is unknown for some seconds no longer keeps other transfers from its
    // payment.
    await chain.mineAtOnce(false);
    const txHash = await chain.submit({ from: buyer, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash });
    await chain.mineAtOnce(true);
    await chain.mine();
    expect(await reasonFor(id)).toBe("");
  });

  function declaredBefore() {
    return { payerAddress: buyer, payerDeclaredAt: ago(MINUTE_MS) };
  }

  function declaredAfter() {
    return { payerAddress: buyer, payerDeclaredAt: ago(-MINUTE_MS) };
  }

  const cases: [string, () => Terms, () => Terms][] = [
    ["an exact amount, not a cheaper order", () => ({}), () => ({ baseAmount: "1" })],
    ["a declared payer, not an exact amount", declaredAfter, () => ({})],
    ["a payer declared in time, not one declared later", declaredBefore, declaredAfter],
    [
      "the merchant's own hash, not a declared payer",
      () => ({ merchantSubmitted: true }),
      declaredAfter,
    ],
  ];
  const orders = [true, false].flatMap((rightfulFirst) => [
    { rightfulFirst, lookedAt: 0 },
    { rightfulFirst, lookedAt: 1 },
  ]);
  test.each(cases.flatMap((one) => orders.map((order) => ({ what: one[0], one, ...order }))))(
    "goes to $what (rightful first: $rightfulFirst, looked at: $lookedAt)",
    async ({ one: [, rightful, thief], rightfulFirst, lookedAt }) => {
      const all = [rightful(), thief()];
      const expected = ["", "transfer_already_used"];
      if (!rightfulFirst)
        expect(await readReasons(all.toReversed(), lookedAt)).toEqual(expected.toReversed());
      else expect(await readReasons(all, lookedAt)).toEqual(expected);
    },
  );

  test.each(orders)(
    "goes to the payer who signed, though the merchant names it for another order (rightful first: $rightfulFirst, looked at: $lookedAt)",
    async ({ rightfulFirst, lookedAt }) => {
      const rightful = { ...declaredBefore(), payerSignedAt: ago(MINUTE_MS) };
      const all = [rightful, { merchantSubmitted: true }];
      const expected = ["", "transfer_already_used"];
      if (!rightfulFirst)
        expect(await readReasons(all.toReversed(), lookedAt)).toEqual(expected.toReversed());
      else expect(await readReasons(all, lookedAt)).toEqual(expected);
    },
  );

  test("pays no other order while its sender has signed for one of a higher amount", async () => {
    const recipientAddress = `0x${"8".repeat(40)}`;
    const signed = { payerAddress: buyer, payerSignedAt: ago(MINUTE_MS) };
    const mine = await chains.open({ recipientAddress, ...signed, baseAmount: `${AMOUNT * 2n}` });
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    const other = { txHash, recipientAddress, merchantSubmitted: true };
    expect(await reasonFor(await chains.submit(other))).toBe("payer_mismatch");
    expect(await reasonFor(await chains.submit({ ...other, projectId: STRANGER }))).toBe("");
    await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    const { observation } = await until(
      () =>
        chains.seen.find(
          ({ type, observation: { subjectId } }) =>
            type === "transfer.confirmed" && subjectId === mine,
        ),
      { what: "the proof of both transfers" },
    );
    expect(observation.receivedBaseAmount).toBe(`${AMOUNT * 2n}`);
  });

  test("pays the order with the declared payer, whichever of ten cheaper orders comes first", async () => {
    const thieves = Array.from({ length: 10 }, () => ({ ...declaredAfter(), baseAmount: "1" }));
    const reasons = await readReasons([...thieves, declaredBefore()], 0);
    expect(reasons.at(-1)).toBe("");
    expect(new Set(reasons.slice(0, -1))).toEqual(new Set(["transfer_already_used"]));
  });

  test("pays the first of two equal orders, whichever is verified first", async () => {
    for (const lookedAt of [0, 1]) {
      expect(await readReasons([{}, {}], lookedAt)).toEqual(["", "transfer_already_used"]);
    }
  });
});

describeChains("a transfer of high value that a cheap order claims", () => {
  let chain: TestChain;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain({ slotsInAnEpoch: 2 });
    const policy = { mode: "confirmations", confirmations: 1, highValueUnits: "1" };
    chains = await startTestChains({
      chain,
      environment: { CHAINS_FINALITY: JSON.stringify({ [chain.chainId]: policy }) },
    });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  test("pays no order before it is final, and then the one it is for", async () => {
    const value = 10n ** 18n;
    const buyer = (chain.accounts[1] ?? "").toLowerCase();
    const rightful = await chains.submit({
      txHash: UNKNOWN,
      baseAmount: `${value}`,
      payerAddress: buyer,
      payerDeclaredAt: ago(MINUTE_MS),
    });
    await chain.mineAtOnce(false);
    const txHash = await chain.submit({ from: buyer, to: SHOP, value });
    const thief = await chains.submit({ txHash, baseAmount: "1" });
    await chains.submit({
      id: rightful,
      version: 3,
      txHash,
      baseAmount: `${value}`,
      payerAddress: buyer,
      payerDeclaredAt: ago(MINUTE_MS),
    });
    await until(async () => (await chains.candidate(rightful)).sender);
    await chain.mineAtOnce(true);
    await chain.mine();
    await chains.pool.query("update candidates set next_at = now() where tx_hash = $1", [txHash]);
    await chains.missed(thief);
    expect(chains.seen).toEqual([]);
    await chain.mine(4);
    await chains.pool.query("update candidates set next_at = now() where tx_hash = $1", [txHash]);
    expect((await chains.verdict(rightful)).observation).toMatchObject({ reason: "", txHash });
    expect((await chains.verdict(thief)).observation.reason).toBe("transfer_already_used");
  });

  test("pays the order whose payer was declared before the block, not after it", async () => {
    const value = 10n ** 18n;
    const buyer = (chain.accounts[2] ?? "").toLowerCase();
    // The cheap order above is still open at the shop's address: it would be the one that this transfer is found for.
    const recipientAddress = `0x${"7".repeat(40)}`;
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value });
    const mined = (await chain.blockTime(txHash)).getTime();
    function submit(declaredMs: number) {
      return chains.submit({
        txHash,
        recipientAddress,
        baseAmount: `${value}`,
        payerAddress: buyer,
        payerDeclaredAt: timestampFromDate(new Date(mined + declaredMs)),
        created: new Date(mined - MINUTE_MS),
      });
    }

    const [thief, rightful] = [await submit(1), await submit(-1)];
    await until(async () => (await chains.candidate(rightful)).first_seen_at);
    await chain.mine(4);
    await chains.pool.query("update candidates set next_at = now() where tx_hash = $1", [txHash]);
    expect((await chains.verdict(rightful)).observation.reason).toBe("");
    expect((await chains.verdict(thief)).observation.reason).toBe("transfer_already_used");
  });
});
