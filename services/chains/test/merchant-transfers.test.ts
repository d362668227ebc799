// The inbox of a merchant: what reached its recipients, and what of it pays nothing.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import { describeChains, newWallet, PROJECT, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const tenant = { projectId: PROJECT, mode: Mode.TEST };
const other = { projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB", mode: Mode.TEST };

describeChains("the transfers to a merchant's recipients", () => {
  let chains: TestChains;
  let buyer: string;
  let recipient = "";
  beforeAll(async () => {
    chains = await startTestChains();
    buyer = chains.chain.accounts[1] ?? "";
  });
  afterAll(() => chains?.stop());
  beforeEach(() => {
    recipient = newWallet();
  });

  async function open(payment: Parameters<TestChains["open"]>[0] = {}) {
    const id = await chains.open({ recipientAddress: recipient, ...payment });
    await chains.watched(id);
    return id;
  }

  function pay(value = AMOUNT, from = buyer) {
    return chains.chain.payNative({ from, to: recipient, value });
  }

  async function list(unmatched?: boolean, owner = tenant) {
    const page = { page: 1, limit: 100, after: "" };
    const answer = await chains.client.listTransfers({
      tenant: owner,
      page,
      ...(unmatched === undefined ? {} : { unmatched }),
    });
    return answer.transfers.filter(
      ({ transfer }) => transfer?.toAddress.toLowerCase() === recipient,
    );
  }

  async function listUndecided(owner = tenant) {
    const page = { page: 1, limit: 100, after: "" };
    const { transfers } = await chains.client.listUndecidedTransfers({ tenant: owner, page });
    return transfers.filter(({ transfer }) => transfer?.toAddress.toLowerCase() === recipient);
  }

  function listed(count: number, unmatched?: boolean, owner = tenant) {
    return until(
      async () => {
        const found = await list(unmatched, owner);
        return found.length === count ? found : undefined;
      },
      { what: `${count} transfers in the list` },
    );
  }

  test("are unmatched while two payments match, and matched once the merchant assigns them", async () => {
    const [first] = [await open(), await open()];
    const txHash = await pay();
    const [arrived] = await listed(1, true);
    expect(arrived).toMatchObject({
      reason: "several_fit",
      chainId: BigInt(chains.chain.chainId),
      currency: "native",
      decimals: 18,
      transfer: { txHash, baseAmount: AMOUNT.toString(), subjectId: "" },
    });
    expect(await listUndecided()).toEqual([arrived]);
    expect(await listUndecided(other)).toEqual([]);
    expect(await listUndecided({ ...tenant, mode: Mode.LIVE })).toEqual([]);
    await chains.submit({ id: first, txHash, byMerchant: true, isAssigned: true });
    await chains.paid(first, AMOUNT);
    expect(await list(true)).toEqual([]);
    expect(await listUndecided()).toEqual([]);
    const [paying] = await listed(1, false);
    expect(paying).toMatchObject({ id: arrived?.id, transfer: { subjectId: first } });
    const { transfer } = await chains.client.getTransfer({ tenant, id: arrived?.id ?? "" });
    expect(transfer).toEqual(paying);
  });

  test("stay unmatched with the reason why they pay nothing", async () => {
    await open({ baseAmount: "5" });
    const txHash = await pay();
    const [first] = await until(async () => {
      const found = await listed(1, true);
      return found[0]?.reason ? found : undefined;
    });
    expect(first).toMatchObject({ reason: "more_than_due", transfer: { txHash } });
  });

  test("have an id for each merchant, and are listed from the time when the recipient is known", async () => {
    await open();
    const txHash = await pay();
    const [mine] = await listed(1);
    await chains.chain.mine();
    expect(await list(undefined, other)).toEqual([]);
    await expect(chains.client.getTransfer({ tenant: other, id: mine?.id ?? "" })).rejects.toThrow(
      "Transfer not found",
    );
    const created = new Date(Date.now() - 60_000);
    await open({ projectId: other.projectId, created, baseAmount: "7" });
    const [theirs] = await listed(1, undefined, other);
    expect(theirs?.transfer?.txHash).toBe(txHash);
    expect(theirs?.id).not.toBe(mine?.id);
  });

  test("are listed by page, the newest first", async () => {
    await open({ baseAmount: "5000000" });
    const hashes = [await pay(1n), await pay(2n), await pay(3n)];
    await listed(3);
    const { transfers, total } = await chains.client.listTransfers({
      tenant,
      page: { page: 1, limit: 2, after: "" },
    });
    expect(transfers).toHaveLength(2);
    const after = transfers.at(-1)?.id ?? "";
    const next = await chains.client.listTransfers({ tenant, page: { page: 1, limit: 1, after } });
    // Blocks of one second are as new as each other.
    const walked = [...transfers, ...next.transfers].map(({ transfer }) => transfer);
    expect(walked.map((one) => one?.txHash).sort()).toEqual(hashes.toSorted());
    const times = walked.map((one) => Number(one?.minedAt?.seconds));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(next.total).toBe(total);
    await expect(
      chains.client.listTransfers({ tenant, page: { page: 1, limit: 1, after: `${after}0` } }),
    ).rejects.toThrow("after must be the id of an item of this list");
  });

  test("are filtered by hash, sender, currency, state and time", async () => {
    await open({ baseAmount: "5000000" });
    const sender = chains.chain.accounts[3] ?? "";
    const [mine = "", theirs = ""] = [await pay(1n), await pay(2n, sender)];
    await listed(2);
    async function hashes(filter: object) {
      const answer = await chains.client.listTransfers({
        tenant,
        page: { page: 1, limit: 100, after: "" },
        ...filter,
      });
      expect(answer.total).toBe(BigInt(answer.transfers.length));
      const own = answer.transfers.filter(
        (one) => one.transfer?.toAddress.toLowerCase() === recipient,
      );
      return own.map(({ transfer }) => transfer?.txHash).sort();
    }

    expect(await hashes({ txHash: mine })).toEqual([mine]);
    expect(await hashes({ sender: sender.toUpperCase().replace("X", "x") })).toEqual([theirs]);
    expect(await hashes({ currency: "native" })).toEqual([mine, theirs].sort());
    expect(await hashes({ currency: sender, txHash: mine })).toEqual([]);
    const later = timestampFromDate(new Date(Date.now() + 3_600_000));
    expect(await hashes({ minedFrom: later })).toEqual([]);
    expect(await hashes({ minedTo: later, txHash: theirs })).toEqual([theirs]);
    await chains.chain.mine(100);
    await until(async () => (await hashes({ status: "final" })).length === 2);
    expect(await hashes({ status: "seen" })).toEqual([]);
    expect(await hashes({ txHash: mine, tenant: other })).toEqual([]);
  });

  test("that pay refunds are listed for transfers of the paying wallet only", async () => {
    const shop = chains.chain.accounts[2] ?? "";
    const txHash = await pay(AMOUNT, shop);
    const id = await chains.submitRefund({
      txHash,
      baseAmount: AMOUNT.toString(),
      sourceAddress: shop,
      destinationAddress: recipient,
    });
    expect(await chains.verdict(id)).toMatchObject({ type: "transfer.confirmed" });
    expect(await listed(1)).toMatchObject([{ transfer: { txHash, subjectId: id } }]);
    // Another merchant watches that wallet, so a transfer from anyone is stored. What came a moment before it did is
    // listed too.
    await open({ projectId: other.projectId, created: new Date(Date.now() - 60_000) });
    await pay();
    await listed(2, undefined, other);
    expect(await list()).toHaveLength(1);
  });
});
