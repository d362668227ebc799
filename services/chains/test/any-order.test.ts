// The same facts, learnt in any order, end in the same decisions: creations, hashes, signatures, cancellings, transfers
// with and without a name, and a reorganisation, with payments away at times and turns that are cut off. Proofs come
// last, as on a chain: first those with names that a provider has hidden, then the others in any order.
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transaction } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import {
  EventSchema,
  Mode,
  type Payment,
  PaymentSchema,
  PaymentSnapshotSchema,
  UnpaidPaymentSchema,
} from "@pay/proto";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { toAddress, toAmount, toChainId, toReference, toTxHash } from "@pay/values";
import { createLearnOrders } from "../src/attribution/learn-orders.ts";
import { leaseWallets } from "../src/attribution/storage/queue.ts";
import { takeTurn } from "../src/attribution/take-turns.ts";
import { takePayments } from "../src/consumers/take-payments.ts";
import { finalizeBlocks } from "../src/following/storage/final-blocks.ts";
import { writeStep } from "../src/following/storage/steps.ts";
import type { SettledTransfer } from "../src/verification/domain/transaction.ts";
import { buildFinding, targetName } from "../src/verification/domain/transaction.ts";
import { storeFindings } from "../src/verification/storage/transactions.ts";

const CHAIN = toChainId(31_337);
const MINUTE_MS = 60_000;
const SHOPS = 12;
const ORDERS_OF_LEARNING = 5;

type Random = (below: number) => number;

/** The same seed plays the same. */
function createRandom(seed: number): Random {
  let state = BigInt(seed) * 2n + 1n;
  return (below) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return Number((state >> 33n) % BigInt(below));
  };
}

interface Fact {
  name: string;
  /** Facts that come before it. */
  after: string[];
  happen(): Promise<void>;
}

describeWithPostgres("facts about wallets", () => {
  const runtime = createTestRuntime("any-order");
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase("services/chains");
    await database.pool.query(
      `insert into cursors (chain_id, epoch, leader, leased_until) values (${CHAIN}, 1, 'test', now())`,
    );
  });
  afterAll(async () => {
    await runtime.stop();
    await database?.drop();
  });

  let shops = 0xa00001;
  const began = Date.now();

  /** Plays a shop whose facts the seed makes; another number of learning has another order of them. */
  async function play(seed: number, learning: number): Promise<unknown> {
    const random = createRandom(seed);
    const shuffle = createRandom(1_000 * seed + learning + 7);
    const name = (shops++).toString(16).padStart(6, "0");
    const recipient = toAddress(`0x${name}${SHOP_DIGITS}`);
    const base = began - 60 * MINUTE_MS;
    const at = (minutes: number) => new Date(base + minutes * MINUTE_MS);
    const hash = (n: number) => toTxHash(`0x${name}${n.toString(16).padStart(58, "0")}`);
    const wallet = (n: number) => toAddress(`0x${(n + 1).toString(16).padStart(40, "0")}`);
    const projectId = `proj_${name.padStart(24, "A")}`;

    // Half of the shops have been paid there before; where the others are paid is known by their orders.
    const isKnown = seed % 2 === 0;
    if (isKnown) {
      await database.pool.query(
        `insert into known_recipients (project_id, mode, chain_id, recipient, currency, sender, known_since)
         values ($1, $2, $3, $4, 'native', '', $5)`,
        [projectId, Mode.TEST, CHAIN, recipient, at(-60)],
      );
    }
    const orders = 2 + random(2);
    // As many wallets pay as much as the orders are due, and it does not matter which is whose.
    const isGroup = seed % 3 === 0;
    // The last one is due at another wallet.
    const paymentId = (n: number) => `pay_${name}${n}`.padEnd(28, "0");
    const transfers = Array.from(
      { length: isGroup ? orders : 2 + random(3) },
      (_, n): SettledTransfer => {
        const minutes = 8 + random(20);
        const named = isGroup ? orders + 2 : random(orders + 6);
        return {
          reference: named < orders + 2 ? toReference(paymentId(named)) : undefined,
          txHash: hash(n),
          kind: "native",
          ordinal: 0,
          currency: "native",
          sender: wallet(isGroup ? n : random(3)),
          recipient,
          value: toAmount([1_000n, 1_000n, 600n, 400n][isGroup ? 0 : random(4)] ?? 0n),
          blockNumber: minutes,
          blockHash: `0xblock${name}${minutes}`,
          blockTime: at(minutes),
        };
      },
    );

    const hidden = new Set(transfers.flatMap(({ txHash }) => (random(4) === 0 ? txHash : [])));
    const payments: Payment[][] = Array.from({ length: orders + 1 }, (_, n) => {
      const opened = random(isGroup ? 8 : isKnown ? 12 : 24);
      const common = {
        id: paymentId(n),
        projectId,
        mode: Mode.TEST,
        status: "created",
        chainId: BigInt(CHAIN),
        currency: "native",
        recipientAddress: n < orders ? recipient : wallet(99),
        baseAmount: "1000",
        createdAt: timestampFromDate(at(opened)),
        expiresAt: timestampFromDate(at(opened + (isGroup ? 30 : 5 + random(30)))),
      };
      const changes: object[] = [{}];
      const happens = (oneOf: number) => !isGroup && random(oneOf) === 0;
      if (happens(3)) {
        const signer = wallet(random(3));
        changes.push({ payerAddress: signer, payerSignedAt: timestampFromDate(at(opened + 1)) });
      }
      if (happens(3)) {
        const txHash = hash(random(transfers.length));
        changes.push({ hashes: [{ txHash }], status: "processing" });
      }
      if (happens(4)) {
        changes.push({ status: "expired", cancelledAt: timestampFromDate(at(opened + 3)) });
      }
      if (happens(4)) changes.push({ closedAt: timestampFromDate(at(8 + random(20))) });
      return changes.map((_change, version) =>
        create(PaymentSchema, {
          ...common,
          ...Object.assign({}, ...changes.slice(0, version + 1)),
          version: version + 1,
        }),
      );
    });

    const mined = new Map<string, SettledTransfer>();
    const atHead = (one: SettledTransfer) =>
      hidden.has(one.txHash) ? { ...one, reference: undefined } : one;
    async function mine(step: readonly SettledTransfer[]) {
      for (const transfer of step) mined.set(transfer.txHash, transfer);
      const [{ head_hash: headHash, head_number: head }] = (
        await database.pool.query("select head_number, head_hash from cursors")
      ).rows as [{ head_hash: string | null; head_number: string | null }];
      await writeStep(database.pool, {
        chainId: CHAIN,
        leader: "test",
        cursor: {
          epoch: 1,
          head: headHash === null ? undefined : { number: Number(head), hash: headHash },
          watchedXid: 0n,
          finalNumber: undefined,
        },
        head: { number: 1_000, hash: `0xhead${name}` },
        watchedXid: 0n,
        blocks: [],
        transfers: step,
        now: new Date(),
      });
    }

    let isAway = false;
    const turn = {
      pool: database.pool,
      runtime,
      signingMs: 60 * 24 * MINUTE_MS,
      blockTimes: new Map([[CHAIN, 2_000]]),
      getDecimals: () => 18,
      onToVerify: () => {},
      onToScreen: () => {},
      onWritten: () => {},
      learnOrders: createLearnOrders({ pool: database.pool, runtime }, async () => {
        if (isAway) throw new Error("payments is away");
        const open = payments.slice(0, orders).flatMap((versions) => {
          const [first] = versions;
          const one = versions.findLast(({ status }) => status !== "expired") ?? first;
          if (one === undefined) return [];
          const { $typeName: _, ...known } = one;
          return [create(UnpaidPaymentSchema, { ...known, version: 1 })];
        });
        return { payments: open, positions: [], hasMore: false };
      }),
    };

    const facts: Fact[] = payments.flatMap((versions, n) =>
      versions.map((payment, version) => ({
        name: `payment ${n} ${version}`,
        after: version === 0 ? [] : [`payment ${n} ${version - 1}`],
        happen: async () => {
          const {
            senders: _s,
            arrived: _a,
            clientSecret: _c,
            $typeName: _t,
            ...snapshot
          } = payment;
          const value = create(PaymentSnapshotSchema, {
            ...snapshot,
            variant: 1,
            hashes: snapshot.hashes.map(({ txHash }) => ({ txHash })),
          });
          const type = version === 0 ? "payment.created" : "payment.payer_declared";
          const event = create(EventSchema, {
            id: `evt_${payment.id}${version}`,
            type: payment.status === "expired" ? "payment.expired" : type,
            projectId,
            mode: Mode.TEST,
            resourceId: payment.id,
            resource: { case: "payment", value },
          });
          await transaction(database.pool, (tx) => takePayments(tx, [event], new Date()));
        },
      })),
    );
    for (const [n, transfer] of transfers.entries()) {
      facts.push({ name: `transfer ${n}`, after: [], happen: () => mine([atHead(transfer)]) });
    }
    const [moved] = transfers;
    if (random(2) === 0 && moved !== undefined) {
      const again = { ...atHead(moved), blockHash: `${moved.blockHash}b` };
      facts.push({
        name: "orphaned",
        after: ["transfer 0"],
        happen: async () => {
          mined.delete(moved.txHash);
          const gone = [{ number: moved.blockNumber, hash: moved.blockHash }];
          await finalizeBlocks(database.pool, { chainId: CHAIN, final: [], gone, now: new Date() });
        },
      });
      facts.push({ name: "again", after: ["orphaned"], happen: () => mine([again]) });
    }

    let seenXid = "0";
    /** The follower reads the blocks since then again for a payment that is new to it. */
    async function lookBack() {
      const { rows } = await database.pool.query(
        "select coalesce(max(opened_xid), 0)::text as xid from watches where recipient = $1",
        [recipient],
      );
      const [{ xid }] = rows;
      if (xid !== seenXid) await mine([...mined.values()]);
      seenXid = xid;
    }

    const done = new Set<string>();
    while (facts.length > 0) {
      const ready = facts.filter(({ after }) => after.every((one) => done.has(one)));
      const fact = ready[shuffle(ready.length)];
      if (fact === undefined) throw new Error("facts wait for each other");
      facts.splice(facts.indexOf(fact), 1);
      // Facts change also while a turn decides.
      await Promise.all([fact.happen(), shuffle(3) === 0 && takeTurn(turn)]);
      await lookBack();
      done.add(fact.name);
      isAway = shuffle(3) === 0;
      if (shuffle(4) === 0) {
        // A process that ends after it has leased.
        await leaseWallets(database.pool, { lease: "gone", now: new Date(), leaseMs: 1, max: 50 });
      }
      if (shuffle(2) === 0) await takeTurn(turn);
      await lookBack();
    }
    isAway = false;
    await settle(turn, recipient);
    const known = await readAttributed(recipient);
    const told = new Map(transfers.map((transfer) => [transfer.txHash, transfer.reference]));
    async function proveAll(some: readonly SettledTransfer[]) {
      const proofs = some.map((one) => prove({ ...one, reference: told.get(one.txHash) }));
      await storeFindings(database.pool, proofs, new Date());
      await settle(turn, recipient);
    }

    const final = [...mined.values()];
    await proveAll(final.filter(({ txHash }) => hidden.has(txHash)));
    for (const left = [...final]; left.length > 0; ) {
      await proveAll(left.splice(shuffle(left.length), 1));
    }
    // What a name has changed is verified for other wallets than before.
    await proveAll(final);
    return [known.length, await readResult(recipient, name)];
  }

  async function readAttributed(recipient: string) {
    const { rows } = await database.pool.query(
      "select from transfers join attributions on transfer_id = id where recipient = $1",
      [recipient],
    );
    return rows;
  }

  /** Takes turns until the wallet waits for nothing. */
  async function settle(turn: Parameters<typeof takeTurn>[0], recipient: string) {
    for (let isDue = true; isDue; ) {
      await database.pool.query(
        `update attribution_queue set next_at = now() - interval '1 minute', leased_until = null
        where recipient = $1`,
        [recipient],
      );
      await takeTurn(turn);
      const { rowCount } = await database.pool.query(
        "select from attribution_queue where recipient = $1 and next_at <= now()",
        [recipient],
      );
      isDue = rowCount !== 0;
    }
  }

  async function readResult(recipient: string, name: string) {
    const attributed = await database.pool.query(
      `select t.tx_hash, d.payment_id, d.rule, d.reason, d.candidates, a.subject_id
      from transfers t join attributions d on d.transfer_id = t.id
        left join allocations a on a.transfer_id = t.id
      where t.recipient = $1 order by t.tx_hash`,
      [recipient],
    );
    const sums = await database.pool.query(
      `select s.payment_id, s.money from payment_sums s join watches w using (project_id, payment_id)
      where w.recipient = $1 and s.money->'last' <> 'null' or w.recipient = $1 and s.money->'needs' <> 'null'
      order by s.payment_id`,
      [recipient],
    );
    const text = JSON.stringify([attributed.rows, sums.rows]);
    return JSON.parse(text.replaceAll(name, "shop")) as unknown;
  }

  test("end in one result, in whatever order they are learnt", async () => {
    for (let seed = 0; seed < SHOPS; seed++) {
      const first = await play(seed, 0);
      for (let learning = 1; learning < ORDERS_OF_LEARNING; learning++) {
        expect({ seed, learning, result: await play(seed, learning) }).toEqual({
          seed,
          learning,
          result: first,
        });
      }
    }
  });
});

const SHOP_DIGITS = "5".repeat(34);

function prove(transfer: SettledTransfer) {
  const tracked = {
    chainId: CHAIN,
    txHash: transfer.txHash,
    targets: [],
    outgoingAmount: undefined,
    giveUpAt: undefined,
    misses: 0,
    sender: undefined,
    firstSeenAt: undefined,
    createdAt: new Date(),
    blockHash: undefined,
    waitsFor: undefined,
  };
  const { blockNumber: number, blockHash, blockTime: time } = transfer;
  return buildFinding(tracked, {
    state: "proven",
    waitsFor: undefined,
    nextAt: new Date(),
    isSeen: true,
    block: { number, hash: blockHash, time },
    proofs: {
      [targetName(transfer)]: { blockHash, isWrongToken: false },
    },
    transfers: [transfer],
  });
}
