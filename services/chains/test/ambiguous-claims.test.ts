// Claims that anyone could have made who watches the chain: they are held while the transfer may be meant for another
// open payment, until a wallet signs or the time for it is over.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { type TestChain, until } from "@pay/testing";
import {
  describeChains,
  PROJECT,
  type Submitted,
  startTestChains,
  type TestChains,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const MINUTE_MS = 60_000;

describeChains("a claim without a signature", () => {
  let chains: TestChains;
  let chain: TestChain;
  let buyer: string;
  let recipientAddress = "";
  let recipients = 0;
  let aheadMs = 0;
  beforeAll(async () => {
    chains = await startTestChains({
      clock: { now: () => new Date(Date.now() + aheadMs) },
      bounds: { signingTimeMs: MINUTE_MS / 2 },
    });
    chain = chains.chain;
    buyer = (chain.accounts[1] ?? "").toLowerCase();
  });
  afterAll(() => chains?.stop());
  beforeEach(() => {
    recipientAddress = `0x${(++recipients).toString(16).padStart(40, "e")}`;
  });

  type Terms = Partial<Omit<Submitted, "$typeName" | "$unknown" | "txHash" | "type">>;

  /** An open payment of a project that holds; resolves when it is watched. */
  async function open(terms: Terms = {}): Promise<string> {
    const id = await chains.open({ recipientAddress, unsignedClaims: "hold", ...terms });
    await chains.watched(id);
    return id;
  }

  /** Hands in a hash for an open payment. */
  async function name(id: string, txHash: string, terms: Terms = {}) {
    await chains.submit({ recipientAddress, unsignedClaims: "hold", ...terms, id, txHash });
    await until(async () => (await chains.candidate(id))?.tx_hash === txHash);
  }

  async function isHeld(id: string) {
    await until(async () => (await chains.candidate(id)).needs === "payer_signature", {
      what: `the hold of ${id}`,
    });
  }

  async function readOutcome(id: string): Promise<string> {
    const { type, observation } = await until(
      () =>
        chains.seen.find(
          ({ type, observation: { subjectId } }) =>
            subjectId === id && ["transfer.confirmed", "transfer.rejected"].includes(type),
        ),
      { what: `the verdict on ${id}` },
    );
    return observation.reason || type;
  }

  function getPublished(id: string) {
    return chains.seen
      .filter(
        ({ type, observation }) => type === "transfer.waiting" && observation.subjectId === id,
      )
      .map(({ observation }) => [observation.needsTurn, observation.needs]);
  }

  /** Sends, and mines only what follows. */
  async function send(value = AMOUNT) {
    await chain.mineAtOnce(false);
    const txHash = await chain.submit({ from: buyer, to: recipientAddress, value });
    return {
      txHash,
      mine: async () => {
        await chain.mineAtOnce(true);
        await chain.mine();
      },
    };
  }

  test("is on hold beside the payment that was meant, and the signature decides both", async () => {
    const [shopper, thief] = [await open(), await open()];
    const { txHash, mine } = await send();
    await name(thief, txHash);
    await mine();
    await isHeld(thief);
    await name(shopper, txHash);
    await isHeld(shopper);
    const signed = { payerAddress: buyer, payerSignedAt: timestampFromDate(new Date()) };
    const declared = { recipientAddress, unsignedClaims: "hold", version: 3, ...signed };
    await chains.open({ ...declared, id: shopper, type: "payment.payer_declared", txHash });
    expect(await readOutcome(shopper)).toBe("transfer.confirmed");
    expect(await readOutcome(thief)).toBe("transfer_already_used");
    expect([getPublished(shopper), getPublished(thief)]).toEqual(
      Array.from({ length: 2 }, () => [[1, "payer_signature"]]),
    );
  });

  test("for a cheaper order is on hold until the payer submits the hash, too", async () => {
    const cheap = { baseAmount: "1" };
    const [shopper, thief] = [await open(), await open(cheap)];
    const { txHash, mine } = await send();
    await name(thief, txHash, cheap);
    await mine();
    await isHeld(thief);
    await name(shopper, txHash);
    expect(await readOutcome(shopper)).toBe("transfer.confirmed");
    expect(await readOutcome(thief)).toBe("transfer_already_used");
  });

  test("wins as the first where its project allows it, and for a payer declared in time", async () => {
    const first = { unsignedClaims: "first" };
    const [early, late] = [await open(first), await open(first)];
    const sent = await send();
    await name(early, sent.txHash, first);
    await name(late, sent.txHash, first);
    await sent.mine();
    expect([await readOutcome(early), await readOutcome(late)]).toEqual([
      "transfer.confirmed",
      "transfer_already_used",
    ]);
    recipientAddress = `0x${"e1".repeat(20)}`;
    const payer = {
      payerAddress: buyer,
      payerDeclaredAt: timestampFromDate(new Date(Date.now() - MINUTE_MS)),
    };
    const [honest, other] = [await open(payer), await open()];
    const paid = await send();
    await name(other, paid.txHash);
    await name(honest, paid.txHash, payer);
    await paid.mine();
    expect(await readOutcome(honest)).toBe("transfer.confirmed");
    expect(await readOutcome(other)).toBe("transfer_already_used");
    expect([...getPublished(honest), ...getPublished(other)]).toEqual([]);
  });

  test("is on hold where another payment declared the sender first, and the signature decides", async () => {
    recipientAddress = `0x${"e3".repeat(20)}`;
    const known = {
      payerAddress: buyer,
      payerDeclaredAt: timestampFromDate(new Date(Date.now() - MINUTE_MS)),
    };
    // The stranger knows whose wallet pays such an order, and asks for the same amount, or for less.
    const [thief, shopper] = [await open(known), await open(known)];
    const { txHash, mine } = await send();
    await name(thief, txHash, known);
    await name(shopper, txHash, known);
    await mine();
    await isHeld(thief);
    await isHeld(shopper);
    const signed = { ...known, payerSignedAt: timestampFromDate(new Date()) };
    const event = { recipientAddress, unsignedClaims: "hold", version: 3, ...signed };
    await chains.open({ ...event, id: shopper, type: "payment.payer_declared", txHash });
    expect(await readOutcome(shopper)).toBe("transfer.confirmed");
    expect(await readOutcome(thief)).toBe("transfer_already_used");

    recipientAddress = `0x${"e4".repeat(20)}`;
    const cheap = { ...known, baseAmount: "1" };
    const [little, honest] = [await open(cheap), await open(known)];
    const paid = await send();
    await name(little, paid.txHash, cheap);
    await paid.mine();
    expect(await readOutcome(honest)).toBe("transfer.confirmed");
    expect(await readOutcome(little)).toBe("transfer_already_used");
  });

  test("is paid where each payment has a transfer of its own, and beside a cancelled one", async () => {
    const [one, two] = [await open(), await open()];
    const gone = await open({ status: "expired", failureCode: "cancelled", version: 2 });
    await chain.mineAtOnce(false);
    const hashes = [
      await chain.submit({ from: buyer, to: recipientAddress, value: AMOUNT }),
      await chain.submit({ from: buyer, to: recipientAddress, value: AMOUNT }),
    ] as const;
    await name(one, hashes[0]);
    await name(two, hashes[1]);
    await chain.mineAtOnce(true);
    await chain.mine();
    expect([await readOutcome(one), await readOutcome(two)]).toEqual([
      "transfer.confirmed",
      "transfer.confirmed",
    ]);
    expect(await chains.candidate(gone)).toBeUndefined();
  });

  test("is on hold for payments opened after its block by a clock ahead of the chain", async () => {
    aheadMs = 5_000;
    const opened = { created: new Date(Date.now() + aheadMs) };
    const [shopper, thief] = [await open(opened), await open(opened)];
    const { txHash, mine } = await send();
    await name(thief, txHash, opened);
    await mine();
    await isHeld(thief);
    const signature = { payerAddress: buyer, payerSignedAt: timestampFromDate(new Date()) };
    const signed = { ...opened, recipientAddress, unsignedClaims: "hold", ...signature };
    await chains.open({ ...signed, id: shopper, type: "payment.payer_declared", version: 3 });
    expect(await readOutcome(thief)).toBe("payer_mismatch");
    await name(shopper, txHash, signed);
    expect(await readOutcome(shopper)).toBe("transfer.confirmed");
    aheadMs = 0;
  });

  // The last one, because its clock goes on.
  test("ends as ambiguous without a signature in time, and the merchant can assign it", async () => {
    const long = { expires: new Date(Date.now() + 600 * MINUTE_MS) };
    const [shopper, thief] = [await open(), await open()];
    const first = await send();
    await name(thief, first.txHash);
    await first.mine();
    await isHeld(thief);
    const [inbox, other] = [recipientAddress, `0x${"e2".repeat(20)}`];
    recipientAddress = other;
    const [short, patient] = [await open(), await open(long)];
    const second = await send();
    await name(short, second.txHash);
    await name(patient, second.txHash, long);
    await second.mine();
    await isHeld(short);
    await isHeld(patient);
    aheadMs = 31 * MINUTE_MS;
    expect([await readOutcome(thief), await readOutcome(short)]).toEqual([
      "ambiguous",
      "ambiguous",
    ]);
    const { misses } = await chains.candidate(patient);
    await chains.pool.query("update candidates set next_at = $1 where subject_id = $2", [
      new Date(),
      patient,
    ]);
    await until(async () => Number((await chains.candidate(patient)).misses) > Number(misses));
    expect(await chains.candidate(patient)).toMatchObject({ state: "waiting" });

    const tenant = { projectId: PROJECT, mode: Mode.TEST };
    const { transfers } = await chains.client.listTransfers({ tenant, unmatched: true });
    expect(transfers.map(({ transfer }) => transfer?.txHash)).toEqual([first.txHash]);
    recipientAddress = inbox;
    // As an assignment does it.
    await name(shopper, first.txHash, { merchantSubmitted: true });
    expect(await readOutcome(shopper)).toBe("transfer.confirmed");
  });
});
