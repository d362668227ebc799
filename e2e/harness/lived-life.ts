// A whole life of money of one wallet, until all of it is final and the books of the wallet show it: 1 and 0.5 come in,
// 0.3 and 0.7 go back, 0.4 goes to the treasury.
import { callNode } from "@pay/embedded";
import { until } from "@pay/testing";
import { type PrintBooks, type WalletBooks, walletBooks } from "./books.ts";
import type { Delivered, Merchant } from "./merchant.ts";
import { type LifeOptions, startWholeLife } from "./whole-life.ts";

const COIN_UNIT = 10n ** 18n;
const RECEIVED = (3n * COIN_UNIT) / 2n;
const REFUNDED = COIN_UNIT;
const SETTLED = (4n * COIN_UNIT) / 10n;

export interface LivedLife {
  wallet: string;
  treasury: string;
  /** By how much its balance has grown. */
  treasuryGain: bigint;
  payments: string[];
  refunds: string[];
  settlement: string;
  books: WalletBooks;
  /** What the sums of the books must be; gas is the rest of its balance. */
  due: { received: bigint[]; refunded: bigint[]; settled: bigint[]; gas: bigint[] };
}

export async function liveThrough(
  shop: Merchant,
  options: LifeOptions,
  print: PrintBooks,
): Promise<LivedLife> {
  const since = Date.now();
  const { projectId, chainRpcUrl } = shop.api.credentials;
  async function readBalance(address: string) {
    return BigInt((await callNode(chainRpcUrl, "eth_getBalance", [address, "latest"])) as string);
  }

  const life = await startWholeLife(shop, options);
  const { wallet, treasury } = life;
  const [before, treasuryBefore] = [await readBalance(wallet.address), await readBalance(treasury)];
  const first = await life.paid("1", COIN_UNIT);
  const second = await life.paid("0.5", COIN_UNIT / 2n);
  const refunds = [
    await life.refunded(first, "0.3", (3n * COIN_UNIT) / 10n),
    await life.refunded(first, undefined, (7n * COIN_UNIT) / 10n),
  ];
  await life.reaches(`/v1/payments/${first}`, "refunded");
  const settlement = await life.settled("0.4", SETTLED);
  const after = await readBalance(wallet.address);
  const treasuryGain = (await readBalance(treasury)) - treasuryBefore;
  function readBooks() {
    return walletBooks(print, { projectId, mode: options.mode, wallet: wallet.address, since });
  }

  // Books begin at a block that is final: opened after these are, they would hold nothing of this life.
  await until(async () => (await readBooks()).balance !== undefined, { what: "opened books" });
  await life.passTime();
  const books = await until(
    async () => {
      const read = await readBooks();
      return read.balance === after && read.sums.settled?.[0] === SETTLED && read;
    },
    { what: "the books of the wallet" },
  );
  const gas = before + RECEIVED - REFUNDED - SETTLED - after;
  return {
    wallet: wallet.address,
    treasury,
    treasuryGain,
    payments: [first, second],
    refunds,
    settlement,
    books,
    due: { received: [RECEIVED], refunded: [REFUNDED], settled: [SETTLED], gas: [gas] },
  };
}

/** What the merchant received about it; each delivery has a valid signature. */
export function listDeliveries(
  shop: Merchant,
  { payments, refunds, settlement }: LivedLife,
): Promise<Delivered[]> {
  const events: [string, string | undefined][] = [
    ...payments.map((id): [string, string] => ["payment.confirmed", id]),
    ["payment.refunded", payments[0]],
    ...refunds.map((id): [string, string] => ["refund.completed", id]),
    ...["requested", "approved", "completed"].map((status): [string, string] => [
      `settlement.${status}`,
      settlement,
    ]),
  ];
  return Promise.all(events.map(([type, id = ""]) => shop.waitForDelivery(type, id)));
}
