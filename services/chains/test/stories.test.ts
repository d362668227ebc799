// Which payment each transfer is for, one story a line, on a real chain. All of a story happens at one wallet of a
// shop, in this order. Amounts have three decimals.
//
//   A=10          payment A of 10 is open; A=10h: its project holds transfers that name no payment; A=10d: it has a
//                 deposit address
//   A=10[-60..-5] it is open from and until so many minutes from the newest block
//   w1>4          wallet 1 pays 4, in a block of its own; w1>4#A: its call names A; #X: one of another wallet; #_: none
//                 that is known; #AB: A and B
//   w1>4@A        it is sent to the deposit address of A; w1>4t@A: in a token; w1>4c@A: by a contract, in coin
//   sweep=A       somebody sweeps the deposit address of A
//   A:2 A!2       the hash of the second transfer is submitted for A; the merchant assigns it to A
//   A~w1          wallet 1 signs that it pays A
//   A-            A is cancelled; A-4: 4 of it are refunded before it is confirmed
//   own=w3        wallet 3 is the merchant's
//   ...           all that is known is decided; the next block is two minutes later
//
// Told in the end: for each transfer the payment and the rule, or the reason of the inbox; the outcome of hashes that
// do not count; sums in time (A=4) and late (A=late4); who needs a signature (A?).
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { until } from "@pay/testing";
import {
  newId,
  sweepTransaction,
  toAddress,
  toDepositAddress,
  toDepositSalt,
  toReference,
  toReferenceSuffix,
} from "@pay/values";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const STORIES = `
1  two alike, and the victim names its own        | A=10 T=10 w1>10#A T:1 | 1>A-reference A=10 T:transfer_already_used
2  two alike, one paid by nobody knows whom       | A=10 B=10 w1>10 | 1>several_fit A? B?
3  a thief's cheaper one with the same hash       | A=10 T=9 w1>10 T:1 | 1>A-lone T:transfer_already_used A=10
4  one that is opened after a transfer            | w1>10 A=10[1..30] A:1 | 1>no_payment A:predates_payment
5  exactly what the only one is due               | A=10 w1>10 | 1>A-lone A=10
6  more than is due, with its hash                | A=10 w1>14 A:1 | 1>more_than_due A?
6  the same, and its wallet signs                 | A=10 w1>14 A:1 A~w1 | 1>A-signature A=14
7  more than is due, without a hash               | A=10 w1>14 | 1>more_than_due
8  from a wallet of the merchant                  | own=w3 A=10 w3>10 | 1>own_wallet
8  the same, with its hash                        | own=w3 A=10 w3>10 A:1 | 1>A-lone A=10
9  less than the only one is due                  | A=10 w1>4 | 1>A-lone A=4
9  a part that the merchant assigns elsewhere     | A=10 w1>4 ... B=20 B!1 | 1>B-merchant B=4
10 a fee of an exchange, and the rest by another  | A=10 w1>9.5 w2>0.5 | 1>A-lone 2>A-lone A=10
11 an exchange pays one of two alike              | A=10d B=10d w1>10@B | 1>B-address B=10
11 an exchange keeps a fee, then sends the rest   | A=1d w1>0.99@A ... w1>0.01@A | 1>A-address 2>A-address A=1
11 again after its address was swept              | A=10d w1>10@A ... sweep=A w1>10@A | 1>A-address 2>A-address A=20
11 late, to the address                           | A=10d[-60..-30] B=10 w1>10@A | 1>A-address A=late10
11 a token where coin is due                      | A=10d w1>10t@A | 1>wrong_currency
11 to the recipient all the same                  | A=10d w1>10 | 1>A-lone A=10
12 two halves of two wallets                      | A=10 w1>5 w2>5 | 1>A-lone 2>A-lone A=10
13 the whole twice, unsigned                      | A=10 w1>10 ... w2>10 | 1>A-lone 2>no_payment A=10
13 the whole twice, the second signed             | A=10 w1>10 ... A~w2 w2>10 | 1>A-lone 2>A-signature A=20
13 the whole twice, the second named              | A=10 w1>10 ... w2>10#A | 1>A-lone 2>A-reference A=20
14 two alike, paid by two wallets                 | A=10 B=10 w1>10 w2>10 | 1>A-group 2>B-group A=10 B=10
15 two alike, paid by one wallet twice            | A=10 B=10 w1>10 w1>10 | 1>several_fit 2>several_fit A? B?
16 two alike, the first transfer names one        | A=10 B=10 w1>10#B w2>10 | 1>B-reference 2>A-lone A=10 B=10
16 two alike, the second transfer names one       | A=10 B=10 w1>10 w2>10#B | 1>several_fit 2>B-reference B=10 A? B?
17 late, named                                    | A=10[-60..-30] B=10 w1>10#A | 1>A-reference A=late10
18 late, only such one, nothing open              | A=10[-60..-30] w1>10 | 1>A-lone A=late10
19 late, and an open one is due the same          | A=10[-60..-30] B=10 w1>10 | 1>B-lone B=10
20 after it was cancelled                         | A=10 ... A- ... w1>10 | 1>A-lone A=late10
20 after it was cancelled, another alike is open  | A=10 ... A- ... B=10 w1>10 | 1>B-lone B=10
20 named after it was cancelled                   | A=10 ... A- ... B=10 w1>10#A | 1>A-reference A=late10
21 named when it is paid                          | A=10 B=5 w1>10 ... w2>5#A | 1>A-lone 2>A-reference A=15
22 names a payment of another wallet              | A=10 w1>10#X A:1 | 1>named_elsewhere A:transfer_already_used
23 names a payment that nobody knows              | A=10 w1>10#_ | 1>unknown_reference
25 named by two transactions                      | A=10 w1>10#A w1>10#A | 1>A-reference 2>A-reference A=20
26 names two payments                             | A=10 B=10 w1>10#AB | 1>several_fit A? B?
28 dust of a stranger, named                      | A=10 B=20 w9>0.001#A w1>10#A | 1>A-reference 2>A-reference A=10
35 native inside a contract call, to the address  | A=10d w1>10c@A A:1 | 1>A-address A=10
50 a hash of the merchant, late, of any amount    | A=10[-60..-30] w1>9 A!1 | 1>A-merchant A=late9
51 dust of a stranger, proven by the chain's end  | A=10 w9>0.001 w1>10 | 1>A-lone 2>A-lone A=10
52 a part, then the whole                         | A=10 w1>4 ... w1>10 | 1>A-lone 2>A-lone A=14
53 what one is left and another is due            | T=10 w1>4 ... B=6[1..30] w2>6 | 1>T-lone 2>several_fit T=4 T? B?
54 what a page asked for before a second part     | A=10 w1>0.1 ... T=9.9[1..30] w2>2 A!2 w1>9.9 | 1>A-lone 2>A-merchant 3>several_fit A=2.1 A? T?
55 fits two, then one of them is cancelled        | A=10 T=10 w1>10 ... A- | 1>several_fit A? T?
57 dust for both                                  | A=10 B=20 w1>0.009 | 1>dust
57 a little more than dust for one of two         | A=10 B=20 w1>0.011 | 1>several_fit
-- dust for both, of a wallet that signs later     | A=10 B=20 w1>0.009 ... A~w1 | 1>A-signature
58 less than the open one, exactly a late one     | T=9.5[-60..-30] A=10 w1>9.5 | 1>several_fit
59 the last crumb                                 | A=10 w1>9.995 ... w1>0.005 | 1>A-lone 2>A-lone A=10
60 a small trial of a large amount                | A=50000 w1>10 ... w1>49990 | 1>A-lone 2>A-lone A=50000
61 a part, refunded, then the rest                | A=10 w1>4 ... A-4 w1>6 | 1>A-lone 2>no_payment A=4
-  two that one wallet signed, in order           | A=10 B=10 A~w1 B~w1 w1>10 w1>10 | 1>A-signature 2>B-signature A=10 B=10
-  a project that holds what names no payment     | A=10h w1>10 | 1>held A?
-  the same, signed                               | A=10h A~w1 w1>10 | 1>A-signature A=10
-  signed by another wallet, alone                | A=10 A~w2 w1>10 | 1>several_fit A?
-  signed by another wallet, beside an alike one  | A=10 B=10 A~w2 w1>10 w2>10 | 1>several_fit 2>A-signature A=10 A? B?
`;

interface Story {
  title: string;
  steps: string[];
  told: string[];
}

function parse(line: string): Story {
  const [title = "", steps = "", told = ""] = line.split("|");
  return { title: title.trim(), steps: words(steps), told: words(told).toSorted() };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function toBase(amount: string): bigint {
  return BigInt(Math.round(Number(amount) * 1_000));
}

function fromBase(amount: string): string {
  return `${Number(amount) / 1_000}`;
}

const MINUTE_MS = 60_000;

describeChains("a story", () => {
  let chains: TestChains;
  let contract = "";
  beforeAll(async () => {
    chains = await startTestChains();
    contract = await chains.chain.deploy(WALLET);
  });
  afterAll(() => chains?.stop());

  async function newestBlock(): Promise<number> {
    const block = await chains.chain.call("eth_getBlockByNumber", ["latest", false]);
    return Number((block as { timestamp: string }).timestamp) * 1_000;
  }

  /** Decided, proven and told. */
  async function settle(sent: readonly string[]) {
    await chains.settled();
    await until(
      async () => {
        const { rowCount } = await chains.pool.query(
          `select from unnest($1::text[]) hash where not exists (
             select from transfers t join attributions a on a.transfer_id = t.id
             where t.tx_hash = hash and a.decided_at is not null)`,
          [sent],
        );
        return rowCount === 0;
      },
      { what: "a decision about each transfer" },
    );
    await until(
      async () => {
        const { rowCount } = await chains.pool.query(
          `select from transactions where state = 'waiting'
           union all select from attribution_queue where next_at <= now() or leased_until is not null
           union all select from outbox`,
        );
        return rowCount === 0;
      },
      { what: "the end of all work" },
    );
  }

  function wallet(name: string): string {
    return (chains.chain.accounts[Number(name.slice(1))] ?? "").toLowerCase();
  }

  async function play(steps: readonly string[]) {
    const recipientAddress = toAddress(newWallet());
    const ids = new Map<string, string>();
    const sent: string[] = [];
    function id(name = "") {
      return ids.get(name) ?? "";
    }

    async function open(name: string, terms: RegExpMatchArray) {
      const [, , amount = "", word, from = "-5", to = "30"] = terms;
      const now = await newestBlock();
      // Those of one story are opened one after the other.
      const created = new Date(now + Number(from) * MINUTE_MS + ids.size);
      const paymentId = newId("pay");
      const opened = await chains.open({
        id: paymentId,
        recipientAddress,
        baseAmount: `${toBase(amount)}`,
        created,
        expires: new Date(now + Number(to) * MINUTE_MS),
        ...(word === "h" && { unnamedTransfers: "hold" }),
        ...(word === "d" && { payTo: getDeposit(paymentId) }),
      });
      ids.set(name, opened);
      await chains.watched(opened);
    }

    function getDeposit(paymentId: string) {
      return toDepositAddress({ paymentId, recipient: recipientAddress });
    }

    /** To a deposit address. */
    function deposit(from: string, to: string, amount: bigint, way: string): Promise<string> {
      const { chain } = chains;
      if (way === "") return chain.payNative({ from, to, value: amount });
      if (way === "c") {
        return chain.send({
          from,
          to: contract,
          value: amount,
          data: calls([{ to, value: amount }]),
        });
      }
      return chain.send({ to: chain.token.address, data: transferData(to, amount) });
    }

    async function buildSuffix(letter: string): Promise<string> {
      const known =
        letter === "X" ? await chains.open({ recipientAddress: newWallet() }) : id(letter);
      if (letter === "X") await chains.watched(known);
      return toReferenceSuffix(toReference(known));
    }

    async function take(step: string) {
      const opens = step.match(/^([A-Z])=([\d.]+)([hd])?(?:\[(-?\d+)\.\.(-?\d+)\])?$/);
      if (opens) return open(opens[1] ?? "", opens);
      const pays = step.match(/^(w\d)>([\d.]+)(?:#(\w+))?$/);
      if (pays) {
        const [, from = "", amount = "", named = ""] = pays;
        const names = await Promise.all([...named].map(buildSuffix));
        const txHash = await chains.chain.send({
          from: wallet(from),
          to: recipientAddress,
          value: toBase(amount),
          data: `0x${names.join("")}`,
        });
        return sent.push(txHash);
      }
      const deposits = step.match(/^(w\d)>([\d.]+)([tc]?)@([A-Z])$/);
      if (deposits) {
        const [, from = "", amount = "", way = "", to = ""] = deposits;
        const address = getDeposit(id(to));
        return sent.push(await deposit(wallet(from), address, toBase(amount), way));
      }
      const sweeps = step.match(/^sweep=([A-Z])$/);
      if (sweeps) {
        const salts = [toDepositSalt(id(sweeps[1]))];
        const { to, data, gas } = sweepTransaction({
          currency: "native",
          recipient: recipientAddress,
          salts,
        });
        return chains.chain.send({ to, data, gas });
      }
      const names = step.match(/^([A-Z])([:!])(\d)$/);
      if (names) {
        const txHash = sent[Number(names[3]) - 1] ?? "";
        return chains.submit({ id: id(names[1]), txHash, isAssigned: names[2] === "!" });
      }
      const signs = step.match(/^([A-Z])~(w\d)$/);
      if (signs) return chains.sign({ id: id(signs[1]), payerAddress: wallet(signs[2] ?? "") });
      const ends = step.match(/^([A-Z])-(\d*)$/);
      if (ends?.[2]) {
        const refundedBaseAmount = `${toBase(ends[2])}`;
        const closedAt = timestampFromDate(new Date((await newestBlock()) + 1));
        const refunded = { refundedBaseAmount, closedAt };
        return chains.open({ id: id(ends[1]), type: "payment.refunded", ...refunded });
      }
      if (ends) {
        const cancelled = new Date(await newestBlock());
        return chains.open({
          id: id(ends[1]),
          type: "payment.expired",
          status: "expired",
          cancelled,
        });
      }
      const owns = step.match(/^own=(w\d)$/);
      if (owns) return chains.listPayoutWallets([wallet(owns[1] ?? "")]);
      expect(step).toBe("...");
      await settle(sent);
      await chains.chain.setNextBlockTime((await newestBlock()) / 1_000 + 120);
    }

    for (const step of steps) await take(step);
    await settle(sent);
    return listTold(ids, sent);
  }

  async function listTold(ids: ReadonlyMap<string, string>, sent: readonly string[]) {
    const names = new Map([...ids].map(([name, id]) => [id, name]));
    const { rows } = await chains.pool.query(
      `select t.tx_hash, a.payment_id, a.rule, a.reason from attributions a
       join transfers t on t.id = a.transfer_id where t.tx_hash = any($1)`,
      [sent],
    );
    const told = rows.map(({ tx_hash, payment_id, rule, reason }) => {
      const nth = sent.indexOf(tx_hash) + 1;
      return payment_id === null ? `${nth}>${reason}` : `${nth}>${names.get(payment_id)}-${rule}`;
    });
    for (const [id, name] of names) {
      const money = chains.told.findLast((one) => one.money.paymentId === id)?.money;
      if (money === undefined) continue;
      const { finalBaseAmount, lateFinalBaseAmount, needs, hashes } = money;
      if (finalBaseAmount !== "0") told.push(`${name}=${fromBase(finalBaseAmount)}`);
      if (lateFinalBaseAmount !== "0") told.push(`${name}=late${fromBase(lateFinalBaseAmount)}`);
      if (needs === "payer_signature") told.push(`${name}?`);
      for (const { outcome = "counted" } of hashes) {
        if (outcome !== "counted") told.push(`${name}:${outcome}`);
      }
    }
    return told.toSorted();
  }

  const stories = STORIES.trim().split("\n").map(parse);
  test.each(stories)("$title", async ({ steps, told }) => {
    expect(await play(steps)).toEqual(told);
  });
});
