// The contracts of deposit addresses on a real chain. `TEST_SEED=1 TEST_RUNS=1000 npm test --
// services/chains/test/deposit-contracts.test.ts` sweeps 100,000 addresses.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import {
  createRandom,
  describeWithChain,
  type TestChain,
  testChain,
  testSeeds,
} from "@pay/testing";
import {
  type Address,
  type Currency,
  DEPOSIT_FACTORY,
  SWEEP_ITEMS_MAX,
  sweepTransaction,
  toAddress,
  toDepositAddress,
  toDepositSalt,
} from "@pay/values";
import { calls, makeData, oddTokenCode, orderData, WALLET } from "./contracts.ts";

const ITEMS = 100;
const PAYMENTS_PER_RECIPIENT = 25;
const NATIVE: Currency = "native";
const THIEF = toAddress("0x7777777777777777777777777777777777777777");

describeWithChain("the contracts of deposit addresses", () => {
  let chain: TestChain;
  let wallet = "";
  const tokens: Record<"usual" | "silent" | "refusing" | "calling", Address> = {
    usual: THIEF,
    silent: THIEF,
    refusing: THIEF,
    calling: THIEF,
  };

  beforeAll(async () => {
    chain = await testChain();
    wallet = await chain.deploy(WALLET);
    for (const behaviour of ["usual", "silent", "refusing", "calling"] as const) {
      tokens[behaviour] = toAddress(await chain.deploy(oddTokenCode(behaviour)));
    }
  });
  afterAll(() => chain?.stop());

  async function holding(holder: string, currency: Currency): Promise<bigint> {
    const held =
      currency === NATIVE
        ? await chain.call("eth_getBalance", [holder, "latest"])
        : await chain.call("eth_call", [
            { to: currency, data: `0x70a08231${holder.slice(2).padStart(64, "0")}` },
            "latest",
          ]);
    return BigInt(held as string);
  }

  /** In one transaction. */
  async function deposit(payments: readonly Deposit[]) {
    const coins = payments.reduce(
      (sum, { currency, value }) => (currency === NATIVE ? sum + value : sum),
      0n,
    );
    const data = calls(
      payments.map(({ address, currency, value }) =>
        currency === NATIVE
          ? { to: address, value }
          : { to: currency, data: makeData(address, value) },
      ),
    );
    if (coins > 0n) await chain.payNative({ to: wallet, value: coins });
    await chain.send({ to: wallet, data, gas: 20_000_000n });
  }

  async function sweep(
    currency: Currency,
    recipient: Address,
    ids: readonly string[],
    gas?: bigint,
  ) {
    const { gas: needed, ...transaction } = sweepTransaction({
      currency,
      recipient,
      salts: ids.map(toDepositSalt),
    });
    const from = chain.accounts[3] ?? "";
    const hash = await chain.send({
      from,
      to: transaction.to,
      data: transaction.data,
      gas: gas ?? needed,
    });
    const receipt = await chain.receipt(hash);
    return { succeeded: receipt?.status === "0x1", gasUsed: Number(receipt?.gasUsed) };
  }

  interface Deposit {
    id: string;
    recipient: Address;
    address: Address;
    currency: Currency;
    value: bigint;
  }

  function draw(seed: number): Deposit[] {
    const random = createRandom(seed);
    const currencies = [NATIVE, ...Object.values(tokens)];
    return Array.from({ length: ITEMS }, (_, nth): Deposit => {
      const group = Math.floor(nth / PAYMENTS_PER_RECIPIENT);
      const recipient = toAddress(`0x${(seed * 1_000 + group + 1).toString(16).padStart(40, "5")}`);
      const id = `pay_${seed}_${nth}`;
      return {
        id,
        recipient,
        address: toDepositAddress({ paymentId: id, recipient }),
        currency: random.pick(currencies),
        value: BigInt(1 + random.below(1_000_000)),
      };
    });
  }

  test.each(testSeeds([1, 2]))("nobody but the recipient gets a wei (seed %i)", async (seed) => {
    const deposits = draw(seed);
    const [first] = deposits;
    await deposit(deposits);
    // The thief sweeps for himself, and a token of his calls the factory while it is swept.
    const salts = deposits.map(({ id }) => toDepositSalt(id));
    const own = sweepTransaction({ currency: NATIVE, recipient: THIEF, salts });
    await chain.send({
      to: tokens.calling,
      data: orderData(DEPOSIT_FACTORY, own.data),
      gas: 15_000_000n,
    });
    const ids = deposits.map(({ id }) => id);
    for (const currency of [NATIVE, tokens.usual]) await sweep(currency, THIEF, ids);
    await sweep(tokens.calling, first?.recipient ?? THIEF, ids);

    for (const [recipient, own] of Map.groupBy(deposits, (one) => one.recipient)) {
      for (const currency of [NATIVE, ...Object.values(tokens)]) {
        const { succeeded } = await sweep(
          currency,
          recipient,
          own.map(({ id }) => id),
        );
        expect(succeeded).toBe(true);
        const paid = own.filter((one) => one.currency === currency);
        const sum =
          currency === tokens.refusing ? 0n : paid.reduce((all, { value }) => all + value, 0n);
        expect(await holding(recipient, currency)).toBe(sum);
      }
    }
    for (const currency of [NATIVE, ...Object.values(tokens)]) {
      expect(await holding(THIEF, currency)).toBe(0n);
      expect(await holding(DEPOSIT_FACTORY, currency)).toBe(0n);
    }
    for (const { address, currency, value } of deposits) {
      if (currency === tokens.refusing) expect(await holding(address, currency)).toBe(value);
    }
  });

  function draft(count: number, name: string, recipient: Address, currency: Currency): Deposit[] {
    return Array.from({ length: count }, (_, nth) => {
      const id = `pay_${name}_${nth}`;
      const address = toDepositAddress({ paymentId: id, recipient });
      return { id, recipient, address, currency, value: 1_000n };
    });
  }

  test("as many as one transaction may have are swept within the gas of it", async () => {
    const recipient = toAddress(chain.accounts[5] ?? "");
    const deposits = draft(SWEEP_ITEMS_MAX, "many", recipient, tokens.usual);
    await deposit(deposits);
    const ids = deposits.map(({ id }) => id);
    const { succeeded, gasUsed } = await sweep(tokens.usual, recipient, ids);
    expect(succeeded).toBe(true);
    expect(await holding(recipient, tokens.usual)).toBe(150_000n);
    expect(gasUsed).toBeLessThan(16_777_216);
  });

  test("a sweep costs no more gas than it did", async () => {
    const recipient = toAddress(chain.accounts[6] ?? "");
    await chain.payToken({ to: recipient, value: 1n });
    async function measure(currency: Currency, count: number) {
      const deposits = draft(count, `gas${count}`, recipient, currency);
      for (const { address, value } of deposits) {
        if (currency === NATIVE) await chain.payNative({ to: address, value });
        else await chain.send({ to: currency, data: transferData(address, value) });
      }
      return (
        await sweep(
          currency,
          recipient,
          deposits.map(({ id }) => id),
        )
      ).gasUsed;
    }

    const token = toAddress(chain.token.address);
    expect(await measure(token, 1)).toBeLessThanOrEqual(77_597);
    expect(await measure(NATIVE, 1)).toBeLessThanOrEqual(65_055);
    expect((await measure(token, 10)) / 10).toBeLessThanOrEqual(48_000);
    expect((await measure(NATIVE, 10)) / 10).toBeLessThanOrEqual(42_500);
  });

  test("too little gas reverts, so that a sweep never succeeds without sweeping", async () => {
    const recipient = toAddress(chain.accounts[7] ?? "");
    const [one] = draft(1, "poor", recipient, tokens.usual) as [Deposit];
    await deposit([one]);
    for (let gas = 40_000n; gas <= 240_000n; gas += 10_000n) {
      const { succeeded } = await sweep(tokens.usual, recipient, [one.id], gas);
      if (succeeded) break;
      expect(await holding(one.address, tokens.usual)).toBe(one.value);
    }
    expect(await holding(recipient, tokens.usual)).toBe(one.value);
  });

  test("a swept address takes native coin again with exactly 21,000 gas, and is swept again", async () => {
    const recipient = toAddress("0x8888888888888888888888888888888888888888");
    const [one] = draft(1, "again", recipient, NATIVE) as [Deposit];
    for (const total of [1_000n, 2_000n]) {
      const hash = await chain.send({ to: one.address, value: 1_000n, gas: 21_000n });
      expect(await chain.receipt(hash)).toMatchObject({ status: "0x1" });
      await sweep(NATIVE, recipient, [one.id]);
      expect(await holding(recipient, NATIVE)).toBe(total);
    }
  });

  test("a recipient that refuses native coin gets it all the same", async () => {
    const recipient = tokens.usual;
    const [one] = draft(1, "refuses", recipient, NATIVE) as [Deposit];
    await chain.payNative({ to: one.address, value: one.value });
    await sweep(NATIVE, recipient, [one.id]);
    expect(await holding(recipient, NATIVE)).toBe(one.value);
  });
});
