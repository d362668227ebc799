import { describe, expect, test } from "@jest/globals";
import { addWallet, parseWallet, type Wallet } from "./find-wallets.ts";

const provider = { request: async () => null };
const info = {
  uuid: "350670db-19fa-4704-a166-e52e178b59d2",
  name: "Wallet",
  icon: "data:image/png;base64,AAAA",
};

function wallet(more: Partial<Wallet> = {}): Wallet {
  return { ...info, provider, ...more };
}

describe("an announcement", () => {
  test("of a wallet is accepted unchanged", () => {
    expect(parseWallet({ info, provider })).toEqual(wallet());
  });

  test.each([
    ["nothing", undefined],
    ["no provider", { info }],
    ["a provider that cannot be asked", { info, provider: {} }],
    ["no identity", { info: { ...info, uuid: "wallet" }, provider }],
    ["an empty name", { info: { ...info, name: " " }, provider }],
    ["a long name", { info: { ...info, name: "x".repeat(41) }, provider }],
    ["a name that turns the direction of text", { info: { ...info, name: "\u202ea" }, provider }],
    ["a name with a control character", { info: { ...info, name: "a\u0000" }, provider }],
  ])("with %s is dropped", (_what, detail) => {
    expect(parseWallet(detail)).toBeUndefined();
  });

  test.each([
    "https://evil.example/a.png",
    "data:text/html,<b>",
    `data:image/png,${"A".repeat(65_537)}`,
  ])("with the icon %.30s is shown without it", (icon) => {
    expect(parseWallet({ info: { ...info, icon }, provider })?.icon).toBeUndefined();
  });
});

describe("the wallets of a page", () => {
  test("contain each identity once", () => {
    const once = addWallet(addWallet(new Map(), wallet()), wallet());
    expect([...once.values()]).toEqual([wallet()]);
  });

  test("contain neither of two wallets with one identity", () => {
    const other = wallet({ provider: { request: async () => 1 } });
    const both = addWallet(addWallet(new Map(), wallet()), other);
    expect([...both.values()]).toEqual([null]);
  });

  test("are at most twenty", () => {
    let known: ReadonlyMap<string, Wallet | null> = new Map();
    for (let at = 0; at < 30; at++) known = addWallet(known, wallet({ uuid: `${at}` }));
    expect(known.size).toBe(20);
  });
});
