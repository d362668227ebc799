// Reads the movements of a range of blocks for accounts that stand at the same block, and compares the result with
// their balances.

import { implausible, toFollowed } from "../following/scan.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError, type RpcFault } from "../providers/rpc-error.ts";
import {
  type Account,
  type Block,
  changeBy,
  computeResidue,
  type Movement,
  toMonth,
} from "./domain/book.ts";
import { readNativeMovements, readTokenMovements, type Traced } from "./read-movements.ts";
import type { LeasedAccount, Reading } from "./storage/books.ts";

export interface CheckTerms {
  accounts: readonly LeasedAccount[];
  /** Up to which the chain is final. */
  height: number;
  blocksMax: number;
  traced: Traced;
}

export interface Checked {
  /** The last block that was read. All blocks of a reading are of one month. */
  block: Block;
  readings: Reading[];
}

type State = NonNullable<Reading["state"]>;
const NO_STATE: ReadonlySet<RpcFault> = new Set(["refused", "unknown_block"]);

export async function checkAccounts(reader: Reader, terms: CheckTerms): Promise<Checked> {
  const { accounts, height, blocksMax } = terms;
  const checked = accounts[0]?.checkedBlock ?? -1;
  if (height <= checked) throw implausible(reader, "it has not reached the books");
  if (checked < 0) {
    const [block] = await readBlocks(reader, [height]);
    return opened(accounts, block as Block, await readStates(reader, accounts, height));
  }
  const from = checked + 1;
  const { end, isLast } = await findEnd(reader, from, {
    to: Math.min(height, checked + blocksMax),
    height,
  });
  const to = end.number;
  // Balances are read at the last block of each month, too.
  const states = to === height || isLast ? await readStates(reader, accounts, to) : undefined;
  // Most wallets send and receive no native coin for long, and reading whole blocks is dear.
  const moved = accounts.filter((account, at) => !isUnchanged(account, states?.[at]));
  const movements = [
    ...(await readTokenMovements(reader, accounts, { from, to })),
    ...(await readNativeMovements(reader, moved, { from, to, traced: terms.traced })),
  ];
  return {
    block: end,
    readings: accounts.map((account, at) =>
      compareReading(account, {
        movements: movements.filter(({ accountId }) => accountId === account.id),
        state: states?.[at],
        end,
      }),
    ),
  };
}

function compareReading(
  account: LeasedAccount,
  { movements, state, end }: { movements: Movement[]; state: State | undefined; end: Block },
): Reading {
  const expected =
    account.expected === undefined ? undefined : account.expected + changeBy(movements);
  const reading = { account, expected: state?.balance ?? expected, state, movements };
  if (state === undefined || expected === undefined) return { ...reading, difference: undefined };
  const { balance } = state;
  const { unseen, isDifference } = computeResidue(account, { expected, balance }, end);
  return {
    ...reading,
    movements: unseen === undefined ? movements : [...movements, unseen],
    difference: isDifference ? { recorded: expected, onChain: balance } : undefined,
  };
}

async function readBlocks(reader: Reader, numbers: readonly number[]): Promise<Block[]> {
  return (await reader.blocks(numbers)).map((block) => {
    if (block === null) throw implausible(reader, "a final block is missing");
    return toFollowed(block);
  });
}

/** The last block up to `to` of the month in which the first one is, and whether the next block is of another month. */
async function findEnd(
  reader: Reader,
  from: number,
  { to, height }: { to: number; height: number },
): Promise<{ end: Block; isLast: boolean }> {
  const [first, last, next] = await readBlocks(reader, [
    from,
    to,
    ...(to < height ? [to + 1] : []),
  ]);
  if (first === undefined || last === undefined) throw implausible(reader, "a block is missing");
  const month = toMonth(first.time);
  if (toMonth(last.time) === month) {
    return { end: last, isLast: next !== undefined && toMonth(next.time) !== month };
  }
  let end = first;
  for (let after = to; after - end.number > 1; ) {
    const middle = Math.floor((end.number + after) / 2);
    const [block] = await readBlocks(reader, [middle]);
    if (block !== undefined && toMonth(block.time) === month) end = block;
    else after = middle;
  }
  return { end, isLast: true };
}

/** The books begin after this block. */
function opened(
  accounts: readonly LeasedAccount[],
  block: Block,
  states: readonly (State | undefined)[] | undefined,
): Checked {
  const movements: Movement[] = [];
  return {
    block,
    readings: accounts.map((account, at) => {
      const state = states?.[at];
      return { account, expected: state?.balance, state, movements, difference: undefined };
    }),
  };
}

/**
 * Undefined where the provider has no state of that block: most keep that of the last blocks only. A token that is
 * younger than the block has none either.
 */
async function readStates(
  reader: Reader,
  accounts: readonly Account[],
  block: number,
): Promise<(State | undefined)[] | undefined> {
  const natives = accounts.filter(({ currency }) => currency === NATIVE);
  try {
    const balances = await reader.holdings(
      accounts.map(({ wallet, currency }) => ({ account: wallet, currency })),
      block,
    );
    const nonces = await reader.nonces(
      natives.map(({ wallet }) => wallet),
      block,
    );
    const nonceById = new Map(natives.map(({ id }, at) => [id, nonces[at]]));
    return accounts.map(({ id }, at) => {
      const balance = balances[at] ?? undefined;
      return balance === undefined ? undefined : { balance, nonce: nonceById.get(id) };
    });
  } catch (error) {
    if (error instanceof RpcError && NO_STATE.has(error.fault)) return undefined;
    throw error;
  }
}

/** Since its last block: nothing of a native account, when neither balance nor nonce is another one. */
function isUnchanged(account: LeasedAccount, state: State | undefined): boolean {
  if (account.currency !== NATIVE) return true;
  return (
    state !== undefined &&
    account.balanceBlock === account.checkedBlock &&
    account.expected === state.balance &&
    account.nonce === state.nonce
  );
}
