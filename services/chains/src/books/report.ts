// The operator's command that prints the books of a project: the balances and movements of its wallets on one day
// (UTC), beside the records, and each difference that is open or was noted that day.
import { parseArgs } from "node:util";
import { CommandFault } from "@pay/process";
import { type Amount, isId, toDecimal, toSignedDecimal } from "@pay/values";
import type { Pool } from "pg";
import {
  type BookDifference,
  type BookedAccount,
  type BookTime,
  listBookDifferences,
  listBookedAccounts,
} from "./storage/book-report.ts";

const USAGE = "usage: npm run books -- --project ID --day YYYY-MM-DD";
const DAY_MS = 24 * 3_600_000;
const MODES = ["", "live", "test"];

export function readArguments(args: string[]): BookTime {
  const { project = "", day = "" } = optionsIn(args);
  const from = new Date(`${day}T00:00:00.000Z`);
  const isDay = !Number.isNaN(from.getTime()) && from.toISOString().startsWith(`${day}T`);
  if (!isDay || !isId("proj", project)) throw new CommandFault(USAGE);
  return { projectId: project, from, to: new Date(from.getTime() + DAY_MS) };
}

function optionsIn(args: string[]): { project?: string | undefined; day?: string | undefined } {
  try {
    const options = { project: { type: "string" }, day: { type: "string" } } as const;
    return parseArgs({ args, options }).values;
  } catch {
    throw new CommandFault(USAGE);
  }
}

export async function reportBooks(pool: Pool, time: BookTime): Promise<string[]> {
  const lines = (await listBookedAccounts(pool, time)).flatMap(readLines);
  const differences = (await listBookDifferences(pool, time)).map(toLine);
  return [
    ...(lines.length === 0 ? ["the project has no wallet that is known here"] : lines),
    ...(differences.length === 0 ? ["no differences"] : differences),
  ];
}

function readLines(row: BookedAccount): string[] {
  const { mode, chain_id, wallet, symbol, decimals, balance, balance_block } = row;
  const head = `${MODES[mode]} chain ${chain_id} ${wallet} ${symbol}`;
  if (row.checked_block < 0n) return [`${head}: not opened yet`];
  function amount(value: Amount) {
    return toDecimal(value, decimals);
  }

  function sides(name: string, shown: Amount, recorded: Amount) {
    const text = `  ${name.padEnd(9)} ${amount(shown)}`;
    return shown === recorded ? text : `${text} (recorded: ${amount(recorded)})`;
  }

  return [
    balance === null
      ? `${head}: balance unknown, checked up to block ${row.checked_block}`
      : `${head}: ${amount(balance)} at block ${balance_block}, checked up to ${row.checked_block}`,
    sides("received", row.received, row.recorded_received),
    sides("refunded", row.refunded, row.recorded_refunded),
    sides("settled", row.settled, row.recorded_settled),
    `  foreign   ${amount(row.foreign_in)} in, ${amount(row.foreign_out)} out`,
    ...(row.gas === 0n ? [] : [`  gas       ${amount(row.gas)}`]),
  ];
}

function toLine(row: BookDifference): string {
  const { id, kind, decimals, symbol, subject_id, tx_hash } = row;
  const what = [kind, tx_hash, subject_id && `of ${subject_id}`].filter(Boolean).join(" ");
  const sides = [row.recorded, row.on_chain].map((value) => toSignedDecimal(value, decimals));
  const end = row.closed_at === null ? "" : `, settled ${row.closed_at.toISOString()}`;
  return `difference ${id}: ${what}, chain ${row.chain_id} ${row.wallet} block ${row.block_number}: recorded ${sides[0]}, on the chain ${sides[1]} ${symbol}, noted ${row.noted_at.toISOString()}${end}`;
}
