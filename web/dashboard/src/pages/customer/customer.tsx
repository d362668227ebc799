import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatAmount } from "../../amounts.ts";
import { useApi } from "../../api/queries.ts";
import type { Customer, PaymentItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { Money } from "../../parts/currency-symbol.tsx";
import { Fact } from "../../parts/fact.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Id, shortenId } from "../../parts/id.tsx";
import { openRow, Table } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { PaymentCells } from "../../parts/payment-cells.tsx";
import { OneRecord } from "../../parts/record-page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeRefund } from "../../status-words.ts";
import { EditDialog, EraseDialog } from "./dialogs.tsx";
import { sumPayments } from "./sums.ts";

const PAYMENTS_MAX = 100;
const SHOWN = [
  "chainId",
  "orderId",
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "needs",
  "refunds",
];

const COLUMNS = [
  { name: "Amount" },
  { name: "Status" },
  { name: "Order" },
  { name: "Created", isRight: true },
];

interface PaymentList {
  data: PaymentItem[];
  total: number;
}

function Sums({ payments }: { payments: readonly PaymentItem[] }) {
  const sums = sumPayments(payments);
  if (sums.length === 0) return <p className="quiet">Nothing has arrived from this customer.</p>;
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">Received</th>
          <th scope="col">Returned</th>
          <th scope="col" className="wide">
            Payments
          </th>
          <th scope="col">Network</th>
        </tr>
      </thead>
      <tbody>
        {sums.map(({ chainId, currency, received, refunded, payments: count }) => (
          <tr key={`${chainId} ${currency}`}>
            <td className="amount">
              <Money amount={received} chainId={chainId} currency={currency} />
            </td>
            <td className="r">{formatAmount(refunded)} returned</td>
            <td className="wide sub">{count}</td>
            <td className="grow sub">
              <Network chainId={chainId} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PaymentRow({ payment }: { payment: PaymentItem }) {
  return (
    <tr onClick={openRow}>
      <PaymentCells payment={payment} grows />
      <td className="when r right">
        <Time at={payment.createdAt} />
      </td>
    </tr>
  );
}

function Refunds({ payments }: { payments: readonly PaymentItem[] }) {
  const refunds = payments.flatMap(({ id, refunds: own = [], chainId, currency, orderId }) =>
    own.map((refund) => ({ ...refund, chainId, currency, order: orderId ?? shortenId(id) })),
  );
  if (refunds.length === 0) return null;
  return (
    <section className="section">
      <header>
        <h2>Refunds</h2>
      </header>
      <Table columns={COLUMNS}>
        {refunds.map((refund) => (
          <tr key={refund.id} onClick={openRow}>
            <td className="amount">
              <Link to="/refunds/$id" params={{ id: refund.id }} className="plainlink">
                <Money amount={refund.amount} chainId={refund.chainId} currency={refund.currency} />
              </Link>
            </td>
            <td className="r">
              <Status words={describeRefund(refund)} />
            </td>
            <td className="grow sub">{refund.order}</td>
            <td className="when r right">
              <Time at={refund.createdAt} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Payments({ customerId }: { customerId: string }) {
  const query = useApi<PaymentList>(
    `/v1/payments?customerId=${customerId}&limit=${PAYMENTS_MAX}&expand=${SHOWN.join(",")}`,
  );
  return (
    <Loaded query={query} what="payments">
      {({ body: { data, total } }) => (
        <>
          <section className="section">
            <header>
              <h2>Sums</h2>
              {total > data.length && (
                <span className="end faint">of the newest {data.length} payments</span>
              )}
            </header>
            <Sums payments={data} />
          </section>
          <section className="section">
            <header>
              <h2>Payments</h2>
              {data.length > 0 && (
                <Link className="end" to="/payments" search={{ customerId }}>
                  {total === 1 ? "1 payment" : `All ${total.toLocaleString("en")}`}
                </Link>
              )}
            </header>
            {data.length === 0 ? (
              <p className="quiet gap-2">No payment names this customer.</p>
            ) : (
              <Table columns={COLUMNS}>
                {data.map((payment) => (
                  <PaymentRow key={payment.id} payment={payment} />
                ))}
              </Table>
            )}
          </section>
          <Refunds payments={data} />
        </>
      )}
    </Loaded>
  );
}

function Details({ customer }: { customer: Customer }) {
  const { walletAddress, email, metadata, createdAt } = customer;
  const entries = Object.entries(metadata ?? {});
  return (
    <aside className="aside" aria-label="About this customer">
      <section>
        <h2>Details</h2>
        <dl className="facts">
          <Fact name="Wallet">
            <Id text={walletAddress} label="wallet" />
          </Fact>
          {email && <Fact name="E-mail address">{email}</Fact>}
          <Fact name="Created">
            <Time at={createdAt} />
          </Fact>
          {entries.map(([name, value]) => (
            <Fact key={name} name={name}>
              {typeof value === "string" ? value : JSON.stringify(value)}
            </Fact>
          ))}
        </dl>
      </section>
    </aside>
  );
}

function Content({ customer }: { customer: Customer }) {
  const [open, setOpen] = useState<"edit" | "erase">();
  const workspace = useWorkspace();
  const { id, displayName, walletAddress } = customer;
  const name = displayName ?? shortenId(walletAddress);
  const close = () => setOpen(undefined);
  return (
    <>
      <title>{`${name} · Customer`}</title>
      <div className="crumbs">
        <Link to="/customers">Customers</Link>
        <Icon name="next" isSmall />
        <Id text={id} label="customer id" isWhole />
      </div>
      <div className="page-head">
        <h1>{name}</h1>
        <div className="end">
          {hasScope(workspace, "customers:write") && (
            <>
              <button type="button" className="button" onClick={() => setOpen("edit")}>
                Edit
              </button>
              <button type="button" className="button danger" onClick={() => setOpen("erase")}>
                Erase
              </button>
            </>
          )}
          <CopyAsCurl path={`/v1/customers/${id}`} />
        </div>
      </div>
      <div className="pay-grid">
        <div>{hasScope(workspace, "payments:read") && <Payments customerId={id} />}</div>
        <Details customer={customer} />
      </div>
      {open === "edit" && <EditDialog customer={customer} close={close} />}
      {open === "erase" && <EraseDialog customer={customer} name={name} close={close} />}
    </>
  );
}

function CustomerPage({ id }: { id: string }) {
  const path = `/v1/customers/${encodeURIComponent(id)}?expand=email,metadata`;
  const query = useApi<Customer>(path);
  return (
    <OneRecord query={query} noun="customer" list="/customers">
      {(body) => <Content customer={body} />}
    </OneRecord>
  );
}

export const Route = createLazyRoute("/customers/$id")({
  component: function OneCustomerPage() {
    return <CustomerPage id={Route.useParams().id} />;
  },
});
