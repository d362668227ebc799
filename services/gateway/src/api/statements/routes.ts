import { Failure } from "@pay/failures";
import { route } from "../../pipeline/route.ts";
import { countedAsOpen } from "./open-statements.ts";
import { statementPieces, statementRow } from "./statement.ts";
import { formatFor } from "./statement-format.ts";

const DAY_MS = 24 * 3_600_000;
/** What began to be recorded before midnight is recorded by then. */
const SETTLING_MS = 60_000;

export const readStatementRoute = route({
  auth: "secret",
  scope: "statements:read",
  tag: "Statements",
  limit: "standard",
  summary: "Read the transfers of a day (UTC), oldest first",
  response: statementRow,
  lines: ["application/jsonl", "text/csv"],
  success: 200,
  failures: ["field_invalid", "statement_day_open", "service_overloaded"],
  handle: async ({ params, services, header, tenant }, { clock }) => {
    const from = toDay(params.day);
    const to = new Date(from.getTime() + DAY_MS);
    const there = new Date(to.getTime() + SETTLING_MS);
    if (clock.now() < there) {
      const message = `The statement of ${params.day} is there from ${there.toISOString()} on`;
      throw new Failure("statement_day_open", message);
    }
    const format = formatFor(header("accept"));
    return {
      contentType: format.contentType,
      pieces: countedAsOpen(tenant.projectId, () =>
        statementPieces(services, { from, to }, format),
      ),
    };
  },
});

function toDay(text: string): Date {
  const day = new Date(`${text}T00:00:00.000Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime());
  if (isDay && day.toISOString().startsWith(text)) return day;
  throw new Failure("field_invalid", "day must be a date in the form YYYY-MM-DD");
}
