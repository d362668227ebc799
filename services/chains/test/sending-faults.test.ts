// What goes wrong between a signature and its end, on a real chain: low fees, reorganisations, a wallet that is used
// elsewhere, transfers that cannot succeed, and limits.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { newId } from "@pay/values";
import { readSignersCommand, runSigners } from "../src/payouts/signers-command.ts";
import { describeChains } from "./chains.ts";
import {
  BUYER,
  type KeyFiles,
  keyFiles,
  type PayingWallet,
  startPayingWallet,
} from "./paying-wallet.ts";

const COMMAND = fileURLToPath(new URL("../src/payouts/main.ts", import.meta.url));

describeChains("a transfer that the service sends", () => {
  let chain: TestChain;
  let proxy: FaultProxy;
  let files: KeyFiles;
  let wallet: PayingWallet;
  beforeAll(async () => {
    chain = await testChain();
    proxy = await chain.faultProxy();
    files = await keyFiles();
    wallet = await startPayingWallet({ chain, files, providers: [proxy.url] });
  });
  afterAll(async () => {
    await wallet?.stop();
    await chain?.stop();
    files?.remove();
  });

  function query(text: string, values: unknown[] = []) {
    return wallet.chains.pool.query(text, values);
  }

  async function readTransactions(id: string) {
    const { rows } = await query(
      "select * from signed_transactions where subject_id = $1 order by ordinal",
      [id],
    );
    return rows;
  }

  function isSent(id: string) {
    return until(async () => (await readTransactions(id)).at(-1)?.sent_at !== null, {
      what: "the transaction at a provider",
    });
  }

  async function readBalance(account: string): Promise<bigint> {
    return BigInt((await chain.call("eth_getBalance", [account, "latest"])) as string);
  }

  function fresh() {
    return `0x${Buffer.from(newId("evt")).toString("hex").slice(0, 40)}`;
  }

  /** As an operator runs it. */
  async function command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...args], {
      env: { CHAINS_DATABASE_URL: wallet.chains.database.url },
    });
    return stdout.trimEnd();
  }

  async function dueNow(id: string) {
    await query("update intents set next_at = now() where subject_id = $1", [id]);
  }

  test("that is stuck is signed again for an eighth more with the same nonce, and paid once", async () => {
    await chain.mineAtOnce(false);
    const destinationAddress = fresh();
    const id = await wallet.owe({ destinationAddress });
    await wallet.intentIn(id, "signed");
    await isSent(id);
    await query("update signed_transactions set signed_at = now() - interval '1 minute'");
    await until(async () => (await readTransactions(id)).length === 2);
    const [first, second] = await readTransactions(id);
    expect(BigInt(second.max_fee) * 8n).toBeGreaterThanOrEqual(BigInt(first.max_fee) * 9n);
    expect(BigInt(second.priority_fee) * 8n).toBeGreaterThanOrEqual(
      BigInt(first.priority_fee) * 9n,
    );
    await isSent(id);
    await chain.mineAtOnce(true);
    await chain.mine();
    expect((await wallet.chains.verdict(id)).observation.txHash).toBe(second.tx_hash);
    expect(await readBalance(destinationAddress)).toBe(1_000n);
    expect(await chain.receipt(first.tx_hash)).toBeNull();
  });

  test("whose block leaves the chain is sent again, and completed once", async () => {
    const destinationAddress = fresh();
    const id = await wallet.owe({ destinationAddress });
    const { observation } = await wallet.chains.verdict(id);
    await chain.reorg(1);
    expect(await readBalance(destinationAddress)).toBe(0n);
    await until(
      async () => {
        await dueNow(id);
        return (await readBalance(destinationAddress)) === 1_000n;
      },
      { what: "the transfer in the new chain" },
    );
    expect(await readTransactions(id)).toHaveLength(1);
    await chain.mine(70);
    await until(async () => {
      await dueNow(id);
      return (await wallet.intent(id)).state === "completed";
    });
    const seen = wallet.chains.seen.filter((one) => one.observation.subjectId === id);
    // Whether the proof is taken back depends on which of two readers sees the new chain first.
    const types = seen.map(({ type }) => type).filter((type) => type !== "transfer.unseen");
    expect(new Set(types)).toEqual(new Set(["transfer.confirmed"]));
    const hashes = new Set(seen.map((one) => one.observation.txHash));
    expect(hashes).toEqual(new Set([observation.txHash]));
    expect(await readBalance(destinationAddress)).toBe(1_000n);
  });

  test("that would revert is not signed: it fails, and no nonce is used", async () => {
    const before = await chain.call("eth_getTransactionCount", [files.address, "latest"]);
    const id = await wallet.owe({ destinationAddress: chain.token.address });
    const row = await wallet.intentIn(id, "failed");
    expect(row).toMatchObject({ nonce: null, failure_reason: "reverted" });
    const { type, observation } = await wallet.chains.verdict(id);
    expect(type).toBe("transfer.unsent");
    expect(observation).toMatchObject({ reason: "reverted", txHash: "" });
    expect(await chain.call("eth_getTransactionCount", [files.address, "latest"])).toBe(before);
  });

  test("that costs more than the operator allows waits for a lower fee", async () => {
    async function baseFee(wei: string) {
      await chain.call("anvil_setNextBlockBaseFeePerGas", [wei]);
      await chain.mine();
    }

    await baseFee("0x8bb2c97000");
    const id = await wallet.owe();
    await wallet.heldBecause(id, "fee");
    expect(await wallet.intent(id)).toMatchObject({ state: "waiting", nonce: null });
    await baseFee("0x3b9aca00");
    await dueNow(id);
    expect((await wallet.chains.verdict(id)).type).toBe("transfer.confirmed");
  });

  test("that the wallet cannot pay waits for funds, and is sent once they are there", async () => {
    const id = await wallet.owe({ currency: chain.token.address, baseAmount: 5_000n });
    await wallet.heldBecause(id, "funds");
    await chain.payToken({ to: files.address, value: 5_000n });
    await until(async () => {
      await dueNow(id);
      return (await wallet.intent(id)).state === "signed";
    });
    expect((await wallet.chains.verdict(id)).observation.receivedBaseAmount).toBe("5000");
  });

  test("ends where its nonce was used by something else, and nothing is signed until an operator agrees", async () => {
    proxy.fail({ kind: "error", code: -32_000 }, { methods: ["eth_sendRawTransaction"] });
    const id = await wallet.owe();
    const { nonce } = await wallet.intentIn(id, "signed");
    const used = await chain.send({
      from: files.address,
      to: BUYER,
      value: 1n,
      nonce: Number(nonce),
    });
    expect((await chain.receipt(used))?.status).toBe("0x1");
    const row = await wallet.intentIn(id, "failed");
    expect(row).toMatchObject({ failure_reason: "nonce_used" });
    expect((await wallet.chains.verdict(id)).observation.reason).toBe("nonce_used");
    proxy.heal();
    const next = await wallet.owe();
    await wallet.heldBecause(next, "frozen");
    const name = `${chain.chainId}/${files.address}`;
    expect(await command("list")).toMatch(`${name} frozen since`);
    expect(await command("unfreeze", name)).toMatch(`${name} signs again; it was frozen since `);
    expect(await command("list")).toBe(`${name} signs`);
    await expect(command("unfreeze", name)).rejects.toThrow(`signers: ${name} is not frozen`);
    await until(async () => {
      await dueNow(next);
      return (await wallet.intent(next)).state === "signed";
    });
    expect((await wallet.chains.verdict(next)).type).toBe("transfer.confirmed");
  });

  test("is not given up because one provider says so while the other is silent", async () => {
    // A provider on a chain of its own shows a use of the nonce that never happened on the other.
    const forked = await testChain();
    await forked.mine(Number(await chain.call("eth_blockNumber", [])));
    const [lone, silent] = [await forked.faultProxy(), await chain.faultProxy()];
    const other = await keyFiles(5);
    const paying = await startPayingWallet({
      chain,
      files: other,
      providers: [silent.url, lone.url],
    });
    try {
      const unsent = { methods: ["eth_sendRawTransaction"] };
      for (const proxy of [lone, silent]) proxy.fail({ kind: "error", code: -32_000 }, unsent);
      const destinationAddress = fresh();
      const id = await paying.owe({ destinationAddress });
      const { nonce } = await paying.intentIn(id, "signed");
      silent.fail({ kind: "hang-up" });
      await forked.send({ from: other.address, to: BUYER, value: 1n, nonce: Number(nonce) });
      await forked.mine(70);
      async function lookedAtUntil(done: () => Promise<boolean>, what: string) {
        const due = "update intents set next_at = now() where subject_id = $1";
        await until(
          async () => {
            await paying.chains.pool.query(due, [id]);
            return done();
          },
          { what },
        );
      }

      const frozen = "select 1 from signers where frozen_at is not null";
      await lookedAtUntil(
        async () => (await paying.chains.pool.query(frozen)).rows.length > 0,
        "the frozen signer",
      );
      const before = lone.calls("eth_getTransactionReceipt");
      await lookedAtUntil(
        async () => lone.calls("eth_getTransactionReceipt") > before + 20,
        "twenty more looks",
      );
      expect(await paying.intent(id)).toMatchObject({ state: "signed", failure_reason: null });
      silent.heal();
      await lookedAtUntil(
        async () => (await readBalance(destinationAddress)) === 1_000n,
        "the transfer on the chain of the provider that came back",
      );
      expect(await paying.intent(id)).toMatchObject({ failure_reason: null });
    } finally {
      await paying.stop();
      await Promise.all([lone.stop(), silent.stop()]);
      await forked.stop();
      other.remove();
    }
  });

  test("is not signed after the wallet has sent something of its own", async () => {
    await chain.send({ from: files.address, to: BUYER, value: 1n });
    const id = await wallet.owe();
    await wallet.heldBecause(id, "frozen");
    expect(await wallet.intent(id)).toMatchObject({ state: "waiting", nonce: null });
    const frozen = readSignersCommand(["unfreeze", `${chain.chainId}/${files.address}`]);
    await runSigners(wallet.chains.database.database, frozen);
    await dueNow(id);
    expect((await wallet.chains.verdict(id)).type).toBe("transfer.confirmed");
  });

  test("of another project is never signed", async () => {
    const id = await wallet.owe({ projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB" });
    await wallet.heldBecause(id, "owner");
    expect(await wallet.intent(id)).toMatchObject({ nonce: null });
  });

  test("waits while the wallet has as many under way as its operator allows", async () => {
    const account = await keyFiles(6);
    const few = await startPayingWallet({ chain, files: account, signer: { inFlightMax: 3 } });
    await chain.mineAtOnce(false);
    const ids = await Promise.all(Array.from({ length: 5 }, () => few.owe({ baseAmount: 7n })));
    async function getCount(condition: string): Promise<number> {
      const { rows } = await few.chains.pool.query(
        `select count(distinct subject_id)::int as n from intents join signed_transactions using (subject_id) where ${condition}`,
      );
      return rows[0].n;
    }

    await until(async () => (await getCount("sent_at is not null")) === 3);
    expect(await getCount("true")).toBe(3);
    await chain.mineAtOnce(true);
    await chain.mine();
    for (const id of ids) expect((await few.chains.verdict(id)).type).toBe("transfer.confirmed");
    expect(await getCount("true")).toBe(ids.length);
    await few.stop();
    account.remove();
  });

  test("comes into a block with all the others that a risen price has left behind", async () => {
    const account = await keyFiles(7);
    const many = await startPayingWallet({ chain, files: account, signer: { inFlightMax: 100 } });
    const { pool } = many.chains;
    await chain.mineAtOnce(false);
    const destinationAddress = fresh();
    const owed = Array.from({ length: 60 }, () => many.owe({ destinationAddress, baseAmount: 7n }));
    const ids = await Promise.all(owed);
    async function getCount(condition: string): Promise<number> {
      const { rows } = await pool.query(
        `select count(distinct subject_id)::int as n from signed_transactions where ${condition}`,
      );
      return rows[0].n;
    }

    await until(async () => (await getCount("sent_at is not null")) === ids.length);
    await chain.call("anvil_setNextBlockBaseFeePerGas", [`0x${(10n ** 11n).toString(16)}`]);
    await chain.mine();
    expect(await readBalance(destinationAddress)).toBe(0n);
    await pool.query("update signed_transactions set signed_at = now() - interval '1 minute'");
    const raised = "max_fee >= 100000000000 and sent_at is not null";
    await until(async () => (await getCount(raised)) === ids.length, {
      what: "a higher fee for each of them, without a block in between",
    });
    await chain.mineAtOnce(true);
    await chain.mine();
    for (const id of ids) expect((await many.chains.verdict(id)).type).toBe("transfer.confirmed");
    expect(await readBalance(destinationAddress)).toBe(7n * BigInt(ids.length));
    await chain.call("anvil_setNextBlockBaseFeePerGas", ["0x3b9aca00"]);
    await chain.mine();
    await many.stop();
    account.remove();
  });

  describe("by two processes at once", () => {
    test("is within the limit of the day, however many are due at once, and after a restart", async () => {
      const account = await keyFiles(8);
      const [each, ofDay] = [7n, 140n].map((wei) => `0.${`${wei}`.padStart(18, "0")}`);
      const signer = { limits: { native: { transactionMax: each, dayMax: ofDay } } };
      const first = await startPayingWallet({ chain, files: account, signer });
      const { database, pool } = first.chains;
      const again = { chain, files: account, signer, database };
      const second = await startPayingWallet(again);
      const destinationAddress = fresh();
      const owed = Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? first : second).owe({ destinationAddress, baseAmount: 7n }),
      );
      await Promise.all(owed);
      async function isLimited() {
        const { rows } = await pool.query(
          `select count(*) filter (where nonce is not null)::int as signed,
            count(*) filter (where held_reason = 'day_limit')::int as held from intents`,
        );
        expect(rows[0].signed).toBeLessThanOrEqual(20);
        return rows[0].signed === 20 && rows[0].held === 20;
      }

      await until(isLimited, { what: "the limit of the day" });
      await second.stop();
      await pool.query(
        "update intents set held_reason = null, next_at = now() where nonce is null",
      );
      const third = await startPayingWallet(again);
      await until(isLimited, { what: "the same limit after a restart" });
      await until(async () => (await readBalance(destinationAddress)) === 140n);
      await third.stop();
      await first.stop();
      account.remove();
    });

    test("is signed by one of them, with no nonce left out", async () => {
      const { database } = wallet.chains;
      const second = await startPayingWallet({ chain, files, database });
      const before = Number(await chain.call("eth_getTransactionCount", [files.address, "latest"]));
      const destinationAddress = fresh();
      const owed = Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? wallet : second).owe({ destinationAddress, baseAmount: 7n }),
      );
      const ids = await Promise.all(owed);
      await until(
        async () => {
          const { rows } = await query(
            "select count(*)::int as n from submissions where subject_id = any($1) and outcome = 'counted'",
            [ids],
          );
          return rows[0].n === ids.length;
        },
        { what: "all proofs" },
      );
      await second.stop();
      const { rows } = await query(
        "select nonce::int as nonce from intents where subject_id = any($1) order by nonce",
        [ids],
      );
      expect(rows.map(({ nonce }) => nonce)).toEqual(ids.map((_, at) => before + at));
      expect(await readBalance(destinationAddress)).toBe(280n);
    });
  });
});
