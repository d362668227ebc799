// A month: every token in every wallet, and what the chain says.
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/queries.ts";
import type { Book, BookList } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { later } from "../../parts/later.tsx";
import { buildPath, PageLinks } from "../../parts/list/list-page.tsx";
import { Network } from "../../parts/network.tsx";
import { OneRecord } from "../../parts/record-page.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { State } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import {
  COLUMNS,
  type FileChoice,
  listColumns,
  listKeys,
  parseChoice,
} from "../reports/columns.ts";
import { FileButtons } from "../reports/file.tsx";
import { describeMonth, formatMonth, getPeriod } from "../reports/months.ts";
import { Change, Figure, formatSigned, isNothing } from "./amounts.tsx";

const NoteDialog = later(async () => (await import("./note-dialog.tsx")).NoteDialog);

export interface MonthSearch extends FileChoice {
  after?: string | undefined;
}

function isOpen({ difference, doneAt }: Book): boolean {
  return !isNothing(difference) && doneAt === null;
}

function Difference({
  book,
  isOver,
  write,
}: {
  book: Book;
  isOver: boolean;
  write: (() => void) | undefined;
}) {
  const { difference, doneAt } = book;
  if (isNothing(difference)) {
    return (
      <span className="status good">
        <Icon name="check" />
        {formatSigned(difference)}
      </span>
    );
  }
  if (difference === null && !isOver) return <span className="faint">Not known yet</span>;
  if (doneAt !== null) {
    return (
      <span className="status still">
        <Icon name="note" />
        {formatSigned(difference)}
      </span>
    );
  }
  return (
    <span className="differs">
      <span className="status bad">
        <Icon name="warning" />
        {formatSigned(difference)}
      </span>
      {write && (
        <button
          type="button"
          className="button"
          aria-label={`Note about ${book.symbol} in ${shortenId(book.wallet)}`}
          onClick={write}
        >
          Note
        </button>
      )}
    </span>
  );
}

function Row({
  book,
  isOver,
  write,
}: {
  book: Book;
  isOver: boolean;
  write: (() => void) | undefined;
}) {
  return (
    <tr>
      <th scope="row">
        <span className="two-line">
          <span>
            <Network chainId={book.chainId} /> <span className="quiet">{book.symbol}</span>
          </span>
          <small title={book.wallet}>
            {shortenId(book.wallet)}
            {book.watchedSince !== null && (
              <>
                , since <Time at={book.watchedSince} />
              </>
            )}
          </small>
        </span>
      </th>
      <td className="fold-col">
        <Figure text={formatSigned(book.opening)} />
      </td>
      <td className="fold-col">
        <Change amount={book.payments} />
      </td>
      <td className="fold-col">
        <Change amount={book.refunds} isOut />
      </td>
      <td className="fold-col">
        <Change amount={book.settlements} isOut />
      </td>
      <td className="fold-col">
        <Change amount={book.fees} isOut />
      </td>
      <td className="fold-col">
        <Change amount={book.other} />
      </td>
      <td className="fold-col">
        <Change amount={book.carried} />
      </td>
      <td className="strong">
        <Figure text={formatSigned(book.closing)} />
      </td>
      <td className="fold-col" title={`Block ${book.blockNumber}`}>
        <Figure text={formatSigned(book.chainBalance)} />
      </td>
      <td>
        <Difference book={book} isOver={isOver} write={write} />
      </td>
    </tr>
  );
}

const HEADS = [
  "Opening",
  "Payments",
  "Refunds",
  "Settlements",
  "Network fees",
  "Other",
  "Carried over",
] as const;

function Books({ list, isOver }: { list: readonly Book[]; isOver: boolean }) {
  const canNote = hasScope(useWorkspace(), "payments:write");
  const [noting, setNoting] = useState<Book>();
  return (
    <ScrollBox label="Balances by wallet">
      <table className="books">
        <thead>
          <tr>
            <th scope="col">Network, token and wallet</th>
            {HEADS.map((name) => (
              <th key={name} scope="col" className="fold-col">
                {name}
              </th>
            ))}
            <th scope="col">Closing</th>
            <th scope="col" className="fold-col">
              Chain says
            </th>
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {list.map((book) => (
            <Row
              key={book.id}
              book={book}
              isOver={isOver}
              write={canNote ? () => setNoting(book) : undefined}
            />
          ))}
        </tbody>
      </table>
      {noting && <NoteDialog book={noting} close={() => setNoting(undefined)} />}
    </ScrollBox>
  );
}

function FileHolds({ choice }: { choice: FileChoice }) {
  const names = COLUMNS.filter(([name]) => listColumns(choice).includes(name));
  return (
    <section className="card mini">
      <h2>What the file holds</h2>
      <ul>
        <li>One row for each payment, refund and settlement that moved money</li>
        <li>{names.map(([, label]) => label).join(", ")}</li>
        {listKeys(choice).map((key) => (
          <li key={key}>
            Metadata <code>{key}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What no record explains, and what people said about differences. */
function Besides({ list, month }: { list: readonly Book[]; month: string }) {
  const others = list.filter(({ otherTransfers }) => otherTransfers > 0);
  const noted = list.filter(({ note }) => note !== null);
  const { from, to } = getPeriod(month);
  const createdTo = new Date(Date.parse(to) + 86_400_000).toISOString();
  return (
    <section className="card mini">
      <h2>Other</h2>
      {others.length === 0 ? (
        <p className="quiet">All that moved belongs to a payment, a refund or a settlement.</p>
      ) : (
        <ul>
          {others.map(({ id, other, otherTransfers, symbol, chainId }) => (
            <li key={id}>
              {formatSigned(other)} {symbol} in {otherTransfers}{" "}
              {otherTransfers === 1 ? "transfer" : "transfers"}
              <span className="end">
                <Network chainId={chainId} />
              </span>
            </li>
          ))}
          <li>
            <Link
              to="/transfers"
              search={{
                unmatched: "true",
                createdFrom: new Date(from).toISOString(),
                createdTo,
              }}
            >
              Transfers without a payment
            </Link>
          </li>
        </ul>
      )}
      {noted.map(({ id, note, symbol, takenBy, doneAt }) => (
        <p key={id} className="own-note">
          <Icon name="note" isSmall />
          <span>
            {symbol}: {note}{" "}
            <span className="faint">
              {takenBy?.name ?? "A key"}
              {doneAt !== null && (
                <>
                  , <Time at={doneAt} />
                </>
              )}
            </span>
          </span>
        </p>
      ))}
    </section>
  );
}

function Month({ month, search }: { month: string; search: MonthSearch }) {
  const { after } = search;
  const path = buildPath(`/v1/books/${month}`, { after });
  const query = useApi<BookList>(path, { keepsPrevious: true });
  return (
    <>
      <title>{`${formatMonth(month)} · Reports`}</title>
      <div className="crumbs">
        <Link to="/reports">Reports</Link>
        <Icon name="next" isSmall />
        Months
      </div>
      <OneRecord query={query} noun="report" list="/reports">
        {({ data, state }) => (
          <>
            <div className="page-head">
              <h1>{formatMonth(month)}</h1>
              <Status
                words={describeMonth({
                  state,
                  // One that is open may be on another page of the list.
                  differences: Math.max(data.filter(isOpen).length, state === "open" ? 1 : 0),
                })}
              />
              <div className="end">
                <button type="button" className="button wide" onClick={() => print()}>
                  <Icon name="print" />
                  Print
                </button>
                <CopyAsCurl path={path} />
                <FileButtons choice={search} period={getPeriod(month)} name={`month-${month}`} />
              </div>
            </div>
            <p className="quiet gap-1">
              Every token in every wallet of this project: what was there, what came, what left, and
              what the chain says{state === "running" ? " so far" : ""}.
            </p>
            {data.length === 0 ? (
              <State icon="reports" title="No wallet was watched in this month">
                A wallet is watched from the first payment that names it.
              </State>
            ) : (
              <>
                <Books list={data} isOver={state !== "running"} />
                <PageLinks
                  values={{ after }}
                  next={query.data?.headers.get("X-Next-After") ?? null}
                />
                <div className="two">
                  <FileHolds choice={search} />
                  <Besides list={data} month={month} />
                </div>
              </>
            )}
          </>
        )}
      </OneRecord>
    </>
  );
}

export const Route = createLazyRoute("/reports/$month")({
  component: function MonthPage() {
    const { after, ...choice } = Route.useSearch();
    const search = { ...parseChoice(choice), ...(after && { after }) };
    return <Month month={Route.useParams().month} search={search} />;
  },
});
