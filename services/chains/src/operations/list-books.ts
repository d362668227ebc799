// The books of a tenant by month.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Failure } from "@pay/failures";
import type {
  BookSchema,
  GetBookProgressRequest,
  GetBookProgressResponseSchema,
  GetBookRequest,
  GetBookResponseSchema,
  ListBooksRequest,
  ListOpenBooksRequest,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { checksumAddress, numberedId, numberOfId, type Tenant } from "@pay/values";
import {
  type BookRow,
  findBook,
  listMonth,
  listOpen,
  readProgress,
} from "../books/storage/months.ts";
import type { Deps } from "../deps.ts";
import { NATIVE } from "../providers/domain/transfer.ts";

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const LIMIT_MAX = 100;
const OPEN_MAX = 1_000;

interface BooksResponse {
  books: (MessageInitShape<typeof BookSchema> & { id: string })[];
  nextAfter: string;
}

export async function listBooks(
  { pool }: Deps,
  { tenant, month, limit, after }: ListBooksRequest,
): Promise<BooksResponse> {
  const owner = parseTenant(tenant);
  checkMonth(month);
  const page = { limit: checkLimit(limit, LIMIT_MAX), after: readAfter(owner, after) };
  return toResponse(owner, await listMonth(pool, owner, { month, ...page }), limit);
}

export async function listOpenBooks(
  { pool }: Deps,
  { tenant, limit, after }: ListOpenBooksRequest,
): Promise<BooksResponse> {
  const owner = parseTenant(tenant);
  const page = { limit: checkLimit(limit, OPEN_MAX), after: readAfter(owner, after) };
  return toResponse(owner, await listOpen(pool, owner, page), limit);
}

export async function getBook(
  { pool }: Deps,
  { tenant, id }: GetBookRequest,
): Promise<MessageInitShape<typeof GetBookResponseSchema>> {
  const owner = parseTenant(tenant);
  const number = readBookId(owner, id);
  const row = number === undefined ? undefined : await findBook(pool, owner, number);
  return row === undefined ? {} : { book: toBook(owner, row) };
}

export async function getBookProgress(
  { pool }: Deps,
  { tenant, month }: GetBookProgressRequest,
): Promise<MessageInitShape<typeof GetBookProgressResponseSchema>> {
  checkMonth(month);
  const { recordedUntil, isUnfinished = false } = await readProgress(
    pool,
    parseTenant(tenant),
    month,
  );
  return {
    isUnfinished,
    ...(recordedUntil && { recordedUntil: timestampFromDate(recordedUntil) }),
  };
}

function checkMonth(month: string): void {
  if (!MONTH.test(month)) throw new Failure("call_malformed", "month must be YYYY-MM");
}

function checkLimit(limit: number, max: number): number {
  if (limit >= 1 && limit <= max) return limit;
  throw new Failure("call_malformed", `limit must be from 1 to ${max}`);
}

function getReader({ projectId, mode }: Tenant): string {
  return `book ${projectId} ${mode}`;
}

function readBookId(owner: Tenant, id: string): bigint | undefined {
  return numberOfId("book", id, getReader(owner));
}

function readAfter(owner: Tenant, after: string): bigint | undefined {
  if (after === "") return undefined;
  const number = readBookId(owner, after);
  if (number === undefined) throw new Failure("cursor_unknown", "after must be the end of a page");
  return number;
}

function toResponse(owner: Tenant, rows: readonly BookRow[], limit: number): BooksResponse {
  const books = rows.map((row) => toBook(owner, row));
  return { books, nextAfter: rows.length === limit ? (books.at(-1)?.id ?? "") : "" };
}

/** An account is shared by all who have its wallet, so its ids differ between tenants. */
function toBook(owner: Tenant, row: BookRow) {
  const { opening, balance, unproven, moved, fees } = row;
  const closing = opening === null ? undefined : opening + moved - fees + unproven;
  return {
    id: numberedId("book", {
      ms: Date.parse(`${row.month}-01`),
      number: row.id,
      reader: getReader(owner),
    }),
    month: row.month,
    chainId: row.chain_id,
    wallet: checksumAddress(row.wallet),
    currency: row.currency === NATIVE ? NATIVE : checksumAddress(row.currency),
    symbol: row.symbol,
    decimals: row.decimals,
    payments: row.payments.toString(),
    refunds: row.refunds.toString(),
    settlements: row.settlements.toString(),
    fees: fees.toString(),
    other: (moved - row.matched).toString(),
    otherTransfers: Math.max(row.movements - row.matches, 0),
    carried: row.carried.toString(),
    block: row.block,
    isClosed: row.is_closed,
    ...(opening !== null && { opening: opening.toString() }),
    ...(row.watched_since && { watchedSince: timestampFromDate(row.watched_since) }),
    ...(closing !== undefined && { closing: closing.toString() }),
    ...(balance !== null && { balance: balance.toString() }),
    ...(closing !== undefined &&
      balance !== null && { difference: (balance - closing).toString() }),
  } satisfies MessageInitShape<typeof BookSchema>;
}
