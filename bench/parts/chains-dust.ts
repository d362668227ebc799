// What 500 transfers of one unit to a wallet with open orders cost: how much later is a payment to that wallet proven,
// and one to another wallet, than beside as many transfers that are for nobody?
import { figure, median } from "../figures.ts";
import { startBusyChain } from "./busy-chain.ts";
import {
  CHAIN_ID,
  makeOrders,
  type Order,
  openStage,
  reached,
  type Stage,
  startService,
  watch,
} from "./chains-stage.ts";
import { withUndo } from "./with-undo.ts";

const ROUNDS = 40;
const DUST = 500;
/** Open at the wallet that gets the dust. */
const ORDERS = 20;
const NEIGHBOURS = 5;
/** A unit is dust for all of them. */
const AMOUNT = 1_000_000n;
const POLL_MS = 50;

interface Round {
  wallet: Order[];
  neighbours: Order[];
  isDusty: boolean;
}

export function measureDust(): Promise<void> {
  return withUndo(async (undo) => {
    const perBlock = DUST + NEIGHBOURS + 1;
    const chain = await startBusyChain(CHAIN_ID, { perBlock });
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const rounds = Array.from({ length: 2 * ROUNDS }, (_, nth) => makeRound(nth));
    await watch(
      stage,
      chain.rpcUrl,
      rounds.flatMap(({ wallet, neighbours }) => [...wallet, ...neighbours]),
    );
    const service = await startService(stage, [chain.rpcUrl], { followIntervalMs: POLL_MS });
    undo.push(() => service.stop());
    const [quiet, dusty] = [createTimes(), createTimes()];
    for (const { wallet, neighbours, isDusty } of rounds) {
      const paid = [...wallet.slice(0, 1), ...neighbours];
      const dust = wallet.slice(0, 1).map(({ recipient }) => ({ recipient, amount: 1n }));
      const planned = isDusty ? Array.from({ length: DUST }, () => dust).flat() : [];
      // The money comes after the dust.
      await chain.mine(1, [...planned, ...paid]);
      const times = isDusty ? dusty : quiet;
      const mined = performance.now();
      const [own, others] = await Promise.all([
        untilProven(stage, wallet.slice(0, 1), mined),
        untilProven(stage, neighbours, mined),
      ]);
      times.own.push(own);
      times.neighbours.push(others);
    }
    figure("chains.dust_own_ms", median(dusty.own), "ms until a payment beside the dust is proven");
    figure("chains.dust_own_ratio", median(dusty.own) / median(quiet.own), "x, without the dust");
    figure(
      "chains.dust_neighbours_ratio",
      median(dusty.neighbours) / median(quiet.neighbours),
      `x, the last of ${NEIGHBOURS} other wallets`,
    );
  });
}

function createTimes(): { own: number[]; neighbours: number[] } {
  return { own: [], neighbours: [] };
}

/** Wallets of its own, so that no round finds what another left. */
function makeRound(nth: number): Round {
  const name = nth.toString(16).padStart(2, "0");
  const [{ recipient = "" } = {}] = makeOrders(1, `d0${name}`);
  return {
    wallet: makeOrders(ORDERS, `d1${name}`)
      .map(raise)
      .map((order) => ({ ...order, recipient })),
    neighbours: makeOrders(NEIGHBOURS, `d2${name}`).map(raise),
    isDusty: nth % 2 === 1,
  };
}

function raise(order: Order): Order {
  return { ...order, amount: order.amount + AMOUNT };
}

async function untilProven(
  { pool }: Stage,
  orders: readonly Order[],
  since: number,
): Promise<number> {
  const ids = orders.map(({ id }) => `'${id}'`).join(", ");
  const done = `select count(*) = ${orders.length} as done from allocations where subject_id in (${ids})`;
  await reached(pool, done);
  return performance.now() - since;
}
