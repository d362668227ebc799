import { createLazyRoute, Link } from "@tanstack/react-router";
import { computeShare, formatAmount, isZero, subtractAmount } from "../../amounts.ts";
import { useApi, useChain, useSymbol } from "../../api/queries.ts";
import type { Payment, PaymentExplain, Refund } from "../../api/records.ts";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { CurrencySymbol } from "../../parts/currency-symbol.tsx";
import { Icon } from "../../parts/icon.tsx";
import { CopyButton, Id } from "../../parts/id.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { OneRecord } from "../../parts/record-page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describePayment, describeRefund } from "../../status-words.ts";
import { Actions } from "./actions.tsx";
import { Activity } from "./activity.tsx";
import { Deliveries } from "./deliveries.tsx";
import { describeWhy } from "./why.ts";

const SHOWN = [
  "metadata",
  "description",
  "recipientAddress",
  "payTo",
  "orderId",
  "customerId",
  "payerAddress",
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "needs",
  "expiresAt",
  "refundedAt",
  "customer",
  "refunds",
  "transfers",
  "attribution",
  "timeline",
];

/** Blocks are counted without an event. */
const COUNTED_MS = 5_000;

function Meter({ payment, symbol }: { payment: Payment; symbol: string }) {
  const { amount, receivedAmount, refundedAmount } = payment;
  const received = receivedAmount ?? "0";
  const returned = refundedAmount ?? "0";
  const due = subtractAmount(amount, received);
  const sums = [
    { name: "Received", sum: received, tone: "good" },
    { name: "Still due", sum: due, tone: "heed" },
    { name: "Returned", sum: returned, tone: "still" },
  ];
  const share = Math.min(computeShare(received, amount), 1000);
  const back = Math.min(computeShare(returned, amount), share);
  return (
    <>
      <dl>
        {sums.map(({ name, sum, tone }) => (
          <div key={name}>
            <dt className={tone}>
              <span className="dot" />
              {name}
            </dt>
            <dd>
              {formatAmount(sum)} <span>{symbol}</span>
            </dd>
          </div>
        ))}
      </dl>
      <svg
        className="bar"
        viewBox="0 0 1000 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${formatAmount(received)} of ${formatAmount(amount)} ${symbol} received, ${formatAmount(due)} due`}
      >
        <rect className="due" width="1000" height="10" />
        <rect className="received" width={share} height="10" />
        <rect className="returned" x={share - back} width={back} height="10" />
      </svg>
    </>
  );
}

function Facts({ payment }: { payment: Payment }) {
  const { orderId, description, chainId, recipientAddress, payTo, createdAt, expiresAt, txHash } =
    payment;
  const chain = useChain(chainId);
  const explorer = chain?.blockExplorerUrl?.replace(/\/$/, "");
  return (
    <section>
      <h2>Details</h2>
      <dl className="facts">
        {orderId && (
          <div>
            <dt>Order</dt>
            <dd>
              {orderId} <CopyButton text={orderId} label="order" />
            </dd>
          </div>
        )}
        {description && (
          <div>
            <dt>Description</dt>
            <dd>{description}</dd>
          </div>
        )}
        <div>
          <dt>Network</dt>
          <dd>
            <Network chainId={chainId} /> <span className="faint">chain {chainId}</span>
          </dd>
        </div>
        {payTo && payTo !== recipientAddress && (
          <div>
            <dt>Deposit address</dt>
            <dd>
              <Id text={payTo} label="deposit address" />
            </dd>
          </div>
        )}
        {recipientAddress && (
          <div>
            <dt>Paid to</dt>
            <dd>
              <Id text={recipientAddress} label="recipient" />
            </dd>
          </div>
        )}
        {txHash && (
          <div>
            <dt>Transaction</dt>
            <dd>
              <Id
                text={txHash}
                label="transaction hash"
                href={explorer && `${explorer}/tx/${txHash}`}
              />
            </dd>
          </div>
        )}
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </div>
        {expiresAt && (
          <div>
            <dt>Time to pay</dt>
            <dd>
              until
              <Time at={expiresAt} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Customer({ payment: { customer, payerAddress } }: { payment: Payment }) {
  if (!customer && !payerAddress) return null;
  const wallet = payerAddress ?? customer?.walletAddress;
  return (
    <section>
      <h2>{customer ? "Customer" : "Payer"}</h2>
      <dl className="facts">
        {customer?.displayName && (
          <div>
            <dt>Name</dt>
            <dd>{customer.displayName}</dd>
          </div>
        )}
        {customer?.email && (
          <div>
            <dt>Email</dt>
            <dd>{customer.email}</dd>
          </div>
        )}
        {wallet && (
          <div>
            <dt>Wallet</dt>
            <dd>
              <Id text={wallet} label="wallet" />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Metadata({ payment: { metadata } }: { payment: Payment }) {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>Metadata</h2>
      <dl className="facts">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Refunds({ refunds, symbol }: { refunds: Refund[]; symbol: string }) {
  if (refunds.length === 0) return null;
  return (
    <section className="section">
      <header>
        <h2>Refunds</h2>
      </header>
      <table className="list">
        <thead className="hidden-text">
          <tr>
            <th scope="col">Amount</th>
            <th scope="col">Status</th>
            <th scope="col">Reason</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {refunds.map((refund) => (
            <tr key={refund.id} onClick={openRow}>
              <td className="amount">
                <Link to="/refunds/$id" params={{ id: refund.id }} className="plainlink">
                  <b>{formatAmount(refund.amount)}</b> <span>{symbol}</span>
                </Link>
              </td>
              <td className="r">
                <Status words={describeRefund(refund)} />
              </td>
              <td className="grow sub">
                {refund.reason ?? <Id text={refund.id} label="refund" />}
              </td>
              <td className="when r right">
                <Time at={refund.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head({ payment }: { payment: Payment }) {
  const { id, amount, chainId, currency } = payment;
  return (
    <>
      <title>{`${formatAmount(amount)} · Payment`}</title>
      <div className="crumbs">
        <Link to="/payments">Payments</Link>
        <Icon name="next" isSmall />
        <Id text={id} label="payment id" isWhole />
      </div>
      <div className="pay-head">
        <h1 className="sum">
          {formatAmount(amount)}{" "}
          <span>
            <CurrencySymbol chainId={chainId} currency={currency} />
          </span>
        </h1>
        <Status words={describePayment(payment)} />
        <div className="end">
          <CopyAsCurl path={`/v1/payments/${id}`} />
        </div>
      </div>
    </>
  );
}

function Content({ payment }: { payment: Payment }) {
  const { id, chainId, currency, status, failureCode, receivedAmount } = payment;
  const symbol = useSymbol(chainId, currency) ?? "";
  const explained = useApi<PaymentExplain>(`/v1/payments/${id}/explain`, {
    refetchMs: status === "processing" && COUNTED_MS,
  });
  const hasNothing = (!receivedAmount || isZero(receivedAmount)) && failureCode === "cancelled";
  return (
    <>
      <Head payment={payment} />
      <div className="pay-grid">
        <div>
          <section className="card meter" aria-label="Money of this payment">
            {!hasNothing && <Meter payment={payment} symbol={symbol} />}
            <Loaded query={explained} what="the reason">
              {({ body }) => (
                <div className="why">
                  <p>{describeWhy({ payment, explanation: body, symbol })}</p>
                  <Actions payment={payment} explanation={body} symbol={symbol} />
                </div>
              )}
            </Loaded>
          </section>
          <Activity payment={payment} explanation={explained.data?.body} symbol={symbol} />
          <Refunds refunds={payment.refunds ?? []} symbol={symbol} />
          <Deliveries paymentId={id} />
        </div>
        <aside className="aside" aria-label="About this payment">
          <Facts payment={payment} />
          <Customer payment={payment} />
          <Metadata payment={payment} />
        </aside>
      </div>
    </>
  );
}

function PaymentPage({ id }: { id: string }) {
  const path = `/v1/payments/${encodeURIComponent(id)}?expand=${SHOWN.join(",")}`;
  const query = useApi<Payment>(path, {
    refetchMs: (body) => body?.status === "processing" && COUNTED_MS,
  });
  return (
    <OneRecord query={query} noun="payment" list="/payments">
      {(body) => <Content payment={body} />}
    </OneRecord>
  );
}

export const Route = createLazyRoute("/payments/$id")({
  component: function OnePaymentPage() {
    return <PaymentPage id={Route.useParams().id} />;
  },
});
