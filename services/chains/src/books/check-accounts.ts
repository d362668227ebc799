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
  /** The last block that was read. */
  block: number;
  readings: Reading[];
}

type State = NonNullable<Reading["state"]>;
const NO_STATE: ReadonlySet<RpcFault> = new Set(["refused", "unknown_block"]);

export async function checkAccounts(reader: Reader, terms: CheckTerms): Promise<Checked> {
  const { accounts, height, blocksMax } = terms;
  const checked = accounts[0]?.checkedBlock ?? -1;
  if (height <= checked) throw implausible(reader, "it has not reached the books");
  if (checked < 0) return opened(accounts, height, await readStates(reader, accounts, height));
  const from = checked + 1;
  const to = Math.min(height, checked + blocksMax);
  const states = to === height ? await readStates(reader, accounts, to) : undefined;
  // Most wallets send and receive no native coin for long, and reading whole blocks is dear.
  const moved = accounts.filter((account, at) => !isUnchanged(account, states?.[at]));
  const movements = [
    ...(await readTokenMovements(reader, accounts, { from, to })),
    ...(await readNativeMovements(reader, moved, { from, to, traced: terms.traced })),
  ];
  const end = await reader.block(to);
  if (end === null) throw implausible(reader, "a final block is missing");
  return {
    block: to,
    readings: accounts.map((account, at) =>
      compareReading(account, {
        movements: movements.filter(({ accountId }) => accountId === account.id),
        state: states?.[at],
        end: toFollowed(end),
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

/** The books begin after this block. */
function opened(
  accounts: readonly LeasedAccount[],
  block: number,
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
