import { Failure } from "@pay/failures";
import { z } from "zod";
import { type Call, route } from "../../pipeline/route.ts";
import * as field from "../fields.ts";
import { periodFields, readPeriod, toTimes } from "../period.ts";
import { COLUMNS_OF_DAY, columnsField, statementRow } from "./columns.ts";
import { countedAsOpen } from "./open-statements.ts";
import { type StatementTerms, statementPieces } from "./statement.ts";
import { formatFor } from "./statement-format.ts";

const DAY_MS = 24 * 3_600_000;
/** What began to be recorded before midnight is recorded by then. */
const SETTLING_MS = 60_000;

const statements = {
  auth: "secret",
  scope: "statements:read",
  tag: "Statements",
  limit: "standard",
  response: statementRow,
  lines: ["application/jsonl", "text/csv"],
  success: 200,
} as const;

function toLines(
  { services, header, tenant }: Call,
  terms: Omit<StatementTerms, "format"> & { hasMark: boolean },
) {
  const format = formatFor(header("accept"), terms.hasMark);
  return {
    contentType: format.contentType,
    pieces: countedAsOpen(tenant.projectId, () => statementPieces(services, { ...terms, format })),
  };
}

export const listStatementRoute = route({
  ...statements,
  summary: "Read the transfers of several days (UTC), oldest first, in the columns of your choice",
  query: z.object({
    ...periodFields,
    columns: columnsField,
    bom: field
      .queryFlag()
      .optional()
      .describe("Whether CSV begins with a byte order mark, as some spreadsheets need it."),
  }),
  failures: ["field_invalid", "service_overloaded"],
  handle: async (call, { clock }) => {
    const { columns, bom = false, ...wanted } = call.query;
    const now = clock.now();
    const { from, to } = toTimes(readPeriod(wanted, now));
    // What is recorded while the answer is sent is for the next one.
    const end = to < now ? to : now;
    return toLines(call, { from, to: end, columns: columns ?? COLUMNS_OF_DAY, hasMark: bom });
  },
});

export const readStatementRoute = route({
  ...statements,
  summary: "Read the transfers of a day (UTC), oldest first",
  failures: ["field_invalid", "statement_day_open", "service_overloaded"],
  handle: async (call, { clock }) => {
    const { day } = call.params;
    const from = toDay(day);
    const to = new Date(from.getTime() + DAY_MS);
    const there = new Date(to.getTime() + SETTLING_MS);
    if (clock.now() < there) {
      const message = `The statement of ${day} is there from ${there.toISOString()} on`;
      throw new Failure("statement_day_open", message);
    }
    return toLines(call, { from, to, columns: COLUMNS_OF_DAY, hasMark: false });
  },
});

function toDay(text: string): Date {
  const day = new Date(`${text}T00:00:00.000Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime());
  if (isDay && day.toISOString().startsWith(text)) return day;
  throw new Failure("field_invalid", "day must be a date in the form YYYY-MM-DD");
}
