import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { formatAmount, isZero } from "../../amounts.ts";
import { useApi } from "../../api/queries.ts";
import type { BookMonthList, PaymentSummary, SummaryDay } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { CurrencySymbol } from "../../parts/currency-symbol.tsx";
import { openRow, Table } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { Loaded, State } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { FileButtons } from "./file.tsx";
import { describeMonth, formatMonth } from "./months.ts";
import { parseReport, type ReportSearch, readPeriod } from "./period.ts";

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function Months() {
  const query = useApi<BookMonthList>("/v1/books");
  return (
    <section className="section">
      <header>
        <h2>Months</h2>
      </header>
      <Loaded query={query} what="the months">
        {({ body: { data } }) => (
          <Table columns={[{ name: "Month" }, { name: "State" }]}>
            {data.map((one) => (
              <tr key={one.month} onClick={openRow}>
                <td>
                  <Link to="/reports/$month" params={{ month: one.month }}>
                    <b>{formatMonth(one.month)}</b>
                  </Link>
                </td>
                <td className="grow r">
                  <Status words={describeMonth(one)} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </section>
  );
}

function Sum({ of }: { of: SummaryDay["received"] }) {
  const { amount } = of;
  const isNegative = amount.startsWith("-");
  const digits = isNegative ? amount.slice(1) : amount;
  if (isZero(digits)) return <span className="faint">0.00</span>;
  return (
    <>
      {isNegative && "− "}
      {formatAmount(digits)}
    </>
  );
}

function Day({ day }: { day: SummaryDay }) {
  return (
    <tr>
      <th scope="row">{DAY.format(Date.parse(day.day))}</th>
      <td className="start">
        <Network chainId={day.chainId} />{" "}
        <span className="quiet">
          <CurrencySymbol chainId={day.chainId} currency={day.currency} />
        </span>
      </td>
      <td className="fold-col">{day.started.payments}</td>
      <td className="fold-col">{day.paid.payments}</td>
      <td className="strong">
        <Sum of={day.received} />
      </td>
      <td>
        <Sum of={day.refunded} />
      </td>
    </tr>
  );
}

function Days({ search }: { search: ReportSearch }) {
  const navigate = useNavigate();
  const canExport = hasScope(useWorkspace(), "statements:read");
  const period = readPeriod(search);
  const query = useApi<PaymentSummary>(`/v1/summary?${new URLSearchParams(period)}`, {
    keepsPrevious: true,
  });
  function change(day: "from" | "to", value: string) {
    if (value === "") return;
    void navigate({ to: ".", search: (before: object) => ({ ...before, [day]: value }) });
  }

  return (
    <section className="section">
      <header>
        <h2>Days</h2>
      </header>
      <div className="period">
        {(["from", "to"] as const).map((day) => (
          <label key={day}>
            {day === "from" ? "From" : "To"}
            <input
              className="field"
              type="date"
              value={period[day]}
              onChange={({ target }) => change(day, target.value)}
            />
          </label>
        ))}
        {canExport && (
          <span className="end">
            <FileButtons
              choice={search}
              period={period}
              name={`movements-${period.from}-${period.to}`}
            />
          </span>
        )}
      </div>
      <Loaded query={query} what="the days">
        {({ body: { days } }) =>
          days.length === 0 ? (
            <State icon="reports" title="Nothing in these days">
              Payments, and what was received and returned, are summed up here by day in UTC.
            </State>
          ) : (
            <ScrollBox label="Sums by day">
              <table className="books">
                <thead>
                  <tr>
                    <th scope="col">Day</th>
                    <th scope="col" className="start">
                      Network and token
                    </th>
                    <th scope="col" className="fold-col">
                      Started
                    </th>
                    <th scope="col" className="fold-col">
                      Paid
                    </th>
                    <th scope="col">Received</th>
                    <th scope="col">Returned</th>
                  </tr>
                </thead>
                <tbody>
                  {days.toReversed().map((day) => (
                    <Day key={`${day.day} ${day.chainId} ${day.currency}`} day={day} />
                  ))}
                </tbody>
              </table>
            </ScrollBox>
          )
        }
      </Loaded>
    </section>
  );
}

export const Route = createLazyRoute("/reports")({
  component: function ReportsPage() {
    return (
      <>
        <title>Reports</title>
        <div className="page-head">
          <h1>Reports</h1>
        </div>
        <Months />
        <Days search={parseReport(Route.useSearch())} />
      </>
    );
  },
});
