import { expect, test } from "@jest/globals";
import { countPaid, type Day, listBars, sortTotals, type Total } from "./days.ts";

const NONE = { payments: 0, amount: "0" };

function total(currency: string, received: number): Total {
  return {
    chainId: 1,
    currency,
    started: { payments: 9, amount: "90" },
    paid: { payments: 7, amount: "70" },
    received: { payments: received, amount: "70" },
    refunded: NONE,
  };
}

const DOLLAR = total("0xa0", 3);
const COIN = total("native", 5);

test("a currency has a bar for each day of the period, also where nothing was", () => {
  const received = { payments: 1, amount: "12.5" };
  const days: Day[] = [
    { ...COIN, day: "2026-02-28", received: { payments: 1, amount: "2" } },
    { ...DOLLAR, day: "2026-03-01", received, refunded: { payments: 1, amount: "4" } },
    { ...DOLLAR, day: "2026-03-02", received: { payments: -1, amount: "-3" } },
  ];
  const summary = { from: "2026-02-27", to: "2026-03-02", totals: [DOLLAR, COIN], days };
  expect(listBars(summary, DOLLAR)).toEqual([
    { day: "2026-02-27", received: "0", refunded: "0" },
    { day: "2026-02-28", received: "0", refunded: "0" },
    { day: "2026-03-01", received: "12.5", refunded: "4" },
    { day: "2026-03-02", received: "-3", refunded: "0" },
  ]);
});

test("the currency of most payments comes first, and payments of all count", () => {
  expect(sortTotals([DOLLAR, COIN])).toEqual([COIN, DOLLAR]);
  expect(countPaid([DOLLAR, COIN])).toEqual({ paid: 14, started: 18 });
});
