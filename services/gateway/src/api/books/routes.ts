import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Failure } from "@pay/failures";
import type { Book } from "@pay/proto";
import { z } from "zod";
import { findActorNames } from "../../audit/entries.ts";
import { describeBook } from "../../needs/need.ts";
import { findStates, type NeedState } from "../../needs/states.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { type Call, route } from "../../pipeline/route.ts";
import { findProject } from "../../projects/storage.ts";
import * as field from "../fields.ts";
import { replyNext } from "../page.ts";
import { listPeopleIn } from "../people.ts";
import { MONTH } from "../period.ts";
import { bookShape, type MonthState, monthList, renderBook } from "./response.ts";

const MONTHS_MAX = 36;
const OPEN_MAX = 1_000;
const LIMIT = { default: 50, max: 100 };
/** Transfers of the last minutes are recorded by then. */
const SETTLING_MS = 3_600_000;

const books = {
  auth: "secret",
  scope: "statements:read",
  tag: "Books",
  limit: "standard",
  success: 200,
} as const;

type Asked = Pick<Call, "services" | "caller">;

/** Those in which a row is not equal to the chain, without those that a person closed. */
async function countOpen({ services, caller }: Asked, { pool }: Deps) {
  const { books: open } = await services.chains.listOpenBooks({ limit: OPEN_MAX, after: "" });
  const states = await findNotes({ caller }, pool, open);
  const left = open.filter(({ id }) => !states.get(id)?.doneAt);
  return Map.groupBy(left, ({ month }) => month);
}

function findNotes(
  { caller }: Pick<Asked, "caller">,
  pool: Deps["pool"],
  list: readonly Book[],
): Promise<Map<string, NeedState>> {
  return findStates(
    pool,
    caller,
    list.flatMap((book) => describeBook(book) ?? []),
  );
}

interface Progress {
  recordedUntil: Date | undefined;
  /** The month before the present one, unless all wallets are read to its end. */
  unfinished: string | undefined;
}

/** Of the last month that is over: earlier ones are read before it. */
async function readProgress({ services }: Pick<Asked, "services">, now: Date): Promise<Progress> {
  const month = getMonthBefore(toMonth(now));
  const { recordedUntil, isUnfinished } = await services.chains.getBookProgress({ month });
  return {
    recordedUntil: recordedUntil && timestampDate(recordedUntil),
    unfinished: isUnfinished ? month : undefined,
  };
}

function getState(
  month: string,
  { recordedUntil, unfinished }: Progress,
  terms: { now: Date; open: number },
): MonthState {
  const settled = new Date(getMonthAfter(month).getTime() + SETTLING_MS);
  const isRead = recordedUntil !== undefined && recordedUntil >= settled && unfinished !== month;
  if (terms.now < settled || !isRead) return "running";
  return terms.open === 0 ? "done" : "open";
}

export const listMonthsRoute = route({
  ...books,
  summary: "List the months of the books, newest first",
  response: monthList,
  handle: async (call, deps) => {
    const now = deps.clock.now();
    const [project, open, progress] = await Promise.all([
      findProject(deps.prisma, call.caller.projectId),
      countOpen(call, deps),
      readProgress(call, now),
    ]);
    const first = toMonth(project?.created_at ?? now);
    const months: string[] = [];
    for (let month = toMonth(now); month >= first && months.length < MONTHS_MAX; ) {
      months.push(month);
      month = getMonthBefore(month);
    }
    return {
      data: months.map((month) => {
        const differences = open.get(month)?.length ?? 0;
        return { month, state: getState(month, progress, { now, open: differences }), differences };
      }),
    };
  },
});

export const readMonthRoute = route({
  ...books,
  summary: "Compare the wallets with the chain in a month",
  query: z.object({
    limit: field.queryInteger(LIMIT.max).optional().describe("Maximum number of rows of a page."),
    after: field.getId("book").optional().describe("Cursor: `X-Next-After` of the previous page."),
  }),
  response: bookShape,
  failures: ["field_invalid"],
  handle: async (call, deps) => {
    const { month } = call.params;
    if (!MONTH.test(month)) {
      throw new Failure("field_invalid", "month must be a month in the form YYYY-MM");
    }
    const now = deps.clock.now();
    const { limit = LIMIT.default, after = "" } = call.query;
    const [page, open, progress] = await Promise.all([
      call.services.chains.listBooks({ month, limit, after }),
      countOpen(call, deps),
      readProgress(call, now),
    ]);
    replyNext(call, page.nextAfter);
    const states = await findNotes(call, deps.pool, page.books);
    const people = listPeopleIn([...states.values()].map(({ takenBy }) => takenBy));
    const names = await findActorNames(deps.pool, call.caller.projectId, people);
    return {
      month,
      state: getState(month, progress, { now, open: open.get(month)?.length ?? 0 }),
      recordedUntil: progress.recordedUntil?.toISOString() ?? null,
      data: page.books.map((book) => renderBook({ book, state: states.get(book.id), names })),
    };
  },
});

function toMonth(time: Date): string {
  return time.toISOString().slice(0, 7);
}

function getMonthBefore(month: string): string {
  return toMonth(new Date(Date.parse(`${month}-01`) - 1));
}

/** The moment at which the next one begins. */
function getMonthAfter(month: string): Date {
  const [year = 0, nth = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, nth, 1));
}
