// What happens to the chain, the providers and the processes while payments are followed.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const DEEP = JSON.stringify({ 31337: { mode: "confirmations", confirmations: 4 } });

let recipient = "";
beforeEach(() => {
  recipient = newWallet();
});

/** Created some time ago, because the blocks of a reorganisation may have earlier times than the clock. */
async function openWatched(chains: TestChains, more: object = {}): Promise<string> {
  const created = new Date(Date.now() - 60_000);
  const id = await chains.open({ recipientAddress: recipient, created, ...more });
  await chains.watched(id);
  return id;
}

/** The money of a payment, told by any of the processes, once something is proven. */
function readProof(chains: readonly TestChains[], id: string) {
  return until(
    () =>
      chains
        .flatMap(({ told }) => told)
        .find(({ money }) => money.paymentId === id && money.finalBaseAmount !== "0")?.money,
    { what: `the proof of ${id}` },
  );
}

describeChains("a followed chain that is reorganised", () => {
  let chains: TestChains;
  beforeAll(async () => {
    chains = await startTestChains({ environment: { CHAINS_FINALITY: DEEP } });
  });
  afterAll(() => chains?.stop());

  async function getStatus(txHash: string): Promise<string | undefined> {
    const { rows } = await chains.pool.query("select status from transfers where tx_hash = $1", [
      txHash,
    ]);
    return rows[0]?.status;
  }

  test("orphans a transfer that is gone, and takes it back when it is mined again", async () => {
    const { chain } = chains;
    const id = await openWatched(chains);
    const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
    await until(async () => (await getStatus(txHash)) === "seen");
    const raw = (await chain.call("eth_getRawTransactionByHash", [txHash])) as string;
    await chain.reorg(1);
    await chain.mine();
    await until(async () => (await getStatus(txHash)) === "orphaned");
    await chain.call("eth_sendRawTransaction", [raw]);
    await until(async () => (await getStatus(txHash)) === "seen");
    await chain.mine(4);
    const proof = await readProof([chains], id);
    const receipt = await chain.receipt(txHash);
    expect(proof).toMatchObject({
      txHash,
      blockNumber: BigInt(receipt?.blockNumber ?? 0),
    });
    const { rows } = await chains.pool.query(
      "select count(*)::int as n from transfers where tx_hash = $1",
      [txHash],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test("finds what is mined only in the new blocks", async () => {
    const { chain } = chains;
    const id = await openWatched(chains);
    await chain.mine(3);
    await chain.reorg(3);
    const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
    await chain.mine(4);
    expect((await readProof([chains], id)).txHash).toBe(txHash);
  });
});

describeChains("a chain whose first followed block is reorganised", () => {
  test("is rewound below that block, and followed on", async () => {
    const chain = await testChain();
    await chain.mine(5);
    const chains = await startTestChains({ chain });
    try {
      const from = await until(
        async () => {
          const { rows } = await chains.pool.query("select head_number, head_hash from cursors");
          return rows[0]?.head_hash ? rows[0] : undefined;
        },
        { what: "the first followed block" },
      );
      expect(Number(from.head_number)).toBe(await chain.head());
      await chain.reorg(3);
      await chain.mine();
      const id = await openWatched(chains);
      const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
      expect((await readProof([chains], id)).txHash).toBe(txHash);
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });
});

describeChains("two providers of a followed chain", () => {
  let chain: TestChain;
  let first: FaultProxy;
  let second: FaultProxy;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    [first, second] = [await chain.faultProxy(), await chain.faultProxy()];
    chains = await startTestChains({ chain, providers: [first.url, second.url] });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  async function rewinds(): Promise<string> {
    return until(async () => {
      const { rows } = await chains.pool.query(
        "select epoch::text as epoch from cursors where head_number is not null",
      );
      return rows[0]?.epoch;
    });
  }

  function stored(txHash: string) {
    return until(
      async () => {
        const known = "select from transfers where tx_hash = $1";
        return (await chains.pool.query(known, [txHash])).rows.length > 0;
      },
      { what: "the stored transfer" },
    );
  }

  test("a provider that falls behind is no reorganisation, and the other one goes on", async () => {
    const before = await rewinds();
    await chain.mine(10);
    const id = await openWatched(chains);
    first.lag(8);
    const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
    await stored(txHash);
    first.heal();
    expect((await readProof([chains], id)).txHash).toBe(txHash);
    expect(await rewinds()).toBe(before);
  });

  test("a block that only one of them reports rewinds nothing", async () => {
    const before = await rewinds();
    const id = await openWatched(chains);
    function forged(result: unknown) {
      return {
        ...(result as object),
        hash: `0x${"77".repeat(32)}`,
        parentHash: `0x${"88".repeat(32)}`,
      };
    }

    first.fail({ kind: "change", change: forged }, { methods: ["eth_getBlockByNumber"] });
    const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
    await stored(txHash);
    first.heal();
    expect((await readProof([chains], id)).txHash).toBe(txHash);
    expect(await rewinds()).toBe(before);
  });

  test("logs that one of them leaves out of a block are asked of the other at once", async () => {
    const id = await openWatched(chains, { currency: chain.token.address });
    first.fail({ kind: "change", change: () => [] }, { methods: ["eth_getLogs"] });
    const txHash = await chain.payToken({ to: recipient, value: AMOUNT });
    await stored(txHash);
    first.heal();
    expect((await readProof([chains], id)).txHash).toBe(txHash);
  });

  test("logs that one of them invents pay nothing", async () => {
    const id = await openWatched(chains, { currency: chain.token.address });
    function invented(result: unknown) {
      return (result as { topics: string[] }[]).map((log) => ({
        ...log,
        topics: [log.topics[0], log.topics[1], `0x${recipient.slice(2).padStart(64, "0")}`],
      }));
    }

    first.fail({ kind: "change", change: invented }, { methods: ["eth_getLogs"] });
    await chain.payToken({ to: `0x${"5".repeat(40)}`, value: AMOUNT });
    await chain.mine();
    first.heal();
    const txHash = await chain.payToken({ to: recipient, value: AMOUNT });
    expect((await readProof([chains], id)).txHash).toBe(txHash);
    const told = chains.told.filter(({ money }) => money.paymentId === id);
    expect(new Set(told.map(({ money }) => money.seenBaseAmount))).toEqual(new Set([`${AMOUNT}`]));
  });
});

describeChains("two processes that follow one chain", () => {
  let chain: TestChain;
  let instances: TestChains[];
  beforeAll(async () => {
    chain = await testChain();
    const one = await startTestChains({ chain });
    instances = [one, await startTestChains({ chain, database: one.database })];
  });
  afterAll(async () => {
    for (const instance of instances?.toReversed() ?? []) await instance.stop();
    await chain?.stop();
  });

  test("find each transfer once, whichever one reads the payment from the bus", async () => {
    const [one, other] = instances as [TestChains, TestChains];
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      ids.push(await openWatched(n % 2 === 0 ? one : other, { baseAmount: `${n + 1}` }));
    }
    for (let n = 0; n < 10; n++) await chain.payNative({ to: recipient, value: BigInt(n + 1) });
    for (const id of ids) await readProof(instances, id);
    const { rows } = await one.pool.query(
      "select count(*)::int as n, count(distinct subject_id)::int as subjects from allocations",
    );
    expect(rows).toEqual([{ n: 10, subjects: 10 }]);
  });

  test("a process whose lease was taken writes nothing more until it leads again", async () => {
    const [one] = instances as [TestChains, TestChains];
    for (let n = 0; n < 5; n++) {
      await one.pool.query(
        "update cursors set leader = 'a process that is gone', epoch = epoch + 1, leased_until = now() + interval '300 milliseconds'",
      );
      const id = await openWatched(one);
      const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
      expect((await readProof(instances, id)).txHash).toBe(txHash);
    }
    const { rows } = await one.pool.query(
      "select count(*)::int as n from (select from transfers group by tx_hash having count(*) > 1) twice",
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describeChains("a process that stops", () => {
  test("goes on where it stopped, and misses nothing that was mined meanwhile", async () => {
    const chain = await testChain();
    const first = await startTestChains({ chain });
    const second = { database: first.database, chain };
    try {
      const id = await openWatched(first);
      await chain.mine();
      const stopped = await startTestChains(second);
      await stopped.stop();
      await first.pool.query("update cursors set leader = null");
      const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
      await chain.mine(300);
      const third = await startTestChains(second);
      try {
        expect((await readProof([first, third], id)).txHash).toBe(txHash);
      } finally {
        await third.stop();
      }
    } finally {
      await first.stop();
      await chain.stop();
    }
  });
});

describeChains("a chain that is far ahead", () => {
  const BYTES_MAX = 1_000_000;
  const BLOCKS_MAX = 20;

  test("is followed through a provider whose answers about many blocks are too large", async () => {
    const chain = await testChain();
    const proxy = await chain.faultProxy();
    const bounds = { responseBytesMax: BYTES_MAX };
    const chains = await startTestChains({ chain, providers: [proxy.url], bounds });
    function tooLarge(result: unknown, [query]: unknown[]) {
      const { fromBlock, toBlock } = query as { fromBlock: string; toBlock: string };
      const isWide = Number(toBlock) - Number(fromBlock) >= BLOCKS_MAX;
      return isWide ? "0".repeat(BYTES_MAX) : result;
    }

    async function followed(): Promise<number | undefined> {
      const { rows } = await chains.pool.query(
        "select head_number from cursors where head_number is not null",
      );
      return rows[0] && Number(rows[0].head_number);
    }

    try {
      await until(followed, { what: "the first followed block" });
      const expires = new Date(Date.now() + 3_600_000);
      const id = await openWatched(chains, { currency: chain.token.address, expires });
      proxy.fail({ kind: "status", status: 503 });
      await chain.mine(150);
      const txHash = await chain.payToken({ to: recipient, value: AMOUNT });
      await chain.mine(150);
      proxy.heal();
      proxy.fail({ kind: "change", change: tooLarge }, { methods: ["eth_getLogs"] });
      expect((await readProof([chains], id)).txHash).toBe(txHash);
      const head = await chain.head();
      await until(async () => Number(await followed()) >= head, { what: "the head" });
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });
});
