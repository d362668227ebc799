import { Link, useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent, MouseEvent } from "react";
import { formatAmount } from "../../amounts.ts";
import { useApi } from "../../api/queries.ts";
import type { PaymentItem } from "../../api/records.ts";
import { useWorkspace } from "../../api/session.ts";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { CurrencySymbol } from "../../parts/currency-symbol.tsx";
import { type ChangeFilters, FilterBar } from "../../parts/filters/filter-bar.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { Network } from "../../parts/network.tsx";
import { Loaded, State } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describePayment } from "../../status-words.ts";
import { getZoneName } from "../../times.ts";
import {
  buildListPath,
  CONTROLS,
  countFilters,
  FIRST,
  type Filters,
  isOfLastDays,
  NO_FILTERS,
  VIEWS,
} from "./filters.ts";

/** A changed filter begins at the newest row. */
function useChangeFilters(): ChangeFilters {
  const navigate = useNavigate({ from: "/payments" });
  return (change) =>
    void navigate({ search: (before) => ({ ...before, ...change, after: undefined }) });
}

interface PaymentList {
  data: PaymentItem[];
  total: number;
}

function Payer({ payment: { customer, payerAddress } }: { payment: PaymentItem }) {
  if (customer?.displayName) return <>{customer.displayName}</>;
  if (!payerAddress) return <span className="faint">–</span>;
  return (
    <span className="mono" title={payerAddress}>
      {shortenId(payerAddress)}
    </span>
  );
}

function Row({ payment }: { payment: PaymentItem }) {
  const navigate = useNavigate();
  const { id, amount, chainId, currency, orderId, createdAt } = payment;
  /** The link stays what the keyboard reaches; the row is only a larger target for the pointer. */
  function open(event: MouseEvent<HTMLElement>) {
    const isOther = event.metaKey || event.ctrlKey || event.target instanceof HTMLAnchorElement;
    if (isOther || String(getSelection()) !== "") return;
    void navigate({ to: "/payments/$id", params: { id } });
  }

  return (
    <tr onClick={open}>
      <td className="amount">
        <Link to="/payments/$id" params={{ id }} className="plainlink">
          <b>{formatAmount(amount)}</b>{" "}
          <span>
            <CurrencySymbol chainId={chainId} currency={currency} />
          </span>
        </Link>
      </td>
      <td className="r">
        <Status words={describePayment(payment)} />
      </td>
      <td className="sub">{orderId ?? <span className="mono">{shortenId(id)}</span>}</td>
      <td className="grow sub wide">
        <Payer payment={payment} />
      </td>
      <td className="wide">{chainId !== undefined && <Network chainId={chainId} />}</td>
      <td className="when r right">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

/** J and K go from row to row, while a row has the focus. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = { j: 1, k: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(".amount a")];
  links[links.indexOf(document.activeElement as HTMLElement) + step]?.focus();
}

function Rows({ payments }: { payments: PaymentItem[] }) {
  return (
    <table className="list" onKeyDown={moveFocus}>
      <thead>
        <tr>
          <th scope="col">Amount</th>
          <th scope="col">Status</th>
          <th scope="col">Order</th>
          <th scope="col" className="wide">
            Payer
          </th>
          <th scope="col" className="wide">
            Network
          </th>
          <th scope="col" className="right">
            Created, {getZoneName()}
          </th>
        </tr>
      </thead>
      <tbody>
        {payments.map((payment) => (
          <Row key={payment.id} payment={payment} />
        ))}
      </tbody>
    </table>
  );
}

function NoRows({ filters }: { filters: Filters }) {
  const change = useChangeFilters();
  const { mode } = useWorkspace();
  const count = countFilters(filters);
  if (count > 0) {
    return (
      <State
        icon="filter"
        title={count === 1 ? "No payment fits the filter" : `No payment fits all ${count} filters`}
        actions={
          <button type="button" className="button" onClick={() => change(NO_FILTERS)}>
            Clear filters
          </button>
        }
      >
        {isOfLastDays(filters)
          ? "These filters look at 30 days. Choose a beginning under Created to look further back."
          : "The filters above are all that is asked for."}
      </State>
    );
  }
  return (
    <State
      icon="payments"
      title={mode === "test" ? "No test payments yet" : "No payments yet"}
      actions={
        <>
          {mode === "live" && (
            <Link className="button" to="/payments" search={{ mode: "test" }}>
              Show test payments
            </Link>
          )}
          <a className="button" href="/docs">
            Connect your shop
          </a>
        </>
      }
    >
      They appear here the moment your shop creates them.
    </State>
  );
}

function PageLinks({ filters, next }: { filters: Filters; next: string | null }) {
  return (
    <span className="end">
      {filters.after !== undefined && (
        <Link
          className="button"
          from="/payments"
          search={(before) => ({ ...before, after: undefined })}
        >
          <Icon name="newer" />
          Newest
        </Link>
      )}
      {next !== null && (
        <Link className="button" from="/payments" search={(before) => ({ ...before, after: next })}>
          Older
          <Icon name="older" />
        </Link>
      )}
    </span>
  );
}

function Views() {
  return (
    <nav className="views" aria-label="Views">
      {VIEWS.map(({ name, status }) => (
        <Link
          key={name}
          from="/payments"
          search={(before) => ({ ...before, status, after: undefined })}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

export function Payments({ filters }: { filters: Filters }) {
  const query = useApi<PaymentList>(buildListPath(filters), { keepsPrevious: true });
  const change = useChangeFilters();
  const total = query.isPlaceholderData ? undefined : query.data?.body.total;
  return (
    <>
      <title>Payments</title>
      <div className="page-head">
        <h1>Payments</h1>
        <div className="end">
          <CopyAsCurl path={buildListPath(filters)} />
        </div>
      </div>
      <Views />
      <FilterBar controls={CONTROLS} first={FIRST} values={filters} change={change}>
        {total !== undefined && `${total.toLocaleString("en")} payment${total === 1 ? "" : "s"}`}
        {isOfLastDays(filters) && ` in ${filters.createdTo ? "30 days" : "the last 30 days"}`}
      </FilterBar>
      <Loaded query={query} what="payments">
        {({ body: { data, total: count }, headers }) =>
          data.length === 0 ? (
            <NoRows filters={filters} />
          ) : (
            <>
              <Rows payments={data} />
              <div className="list-foot">
                <span>
                  {data.length} of {count.toLocaleString("en")}
                </span>
                <PageLinks filters={filters} next={headers.get("X-Next-After")} />
              </div>
            </>
          )
        }
      </Loaded>
    </>
  );
}
