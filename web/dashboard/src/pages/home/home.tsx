import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatAmount } from "../../amounts.ts";
import { formatSeconds, useChainHealth } from "../../api/chains.ts";
import { useNeeds } from "../../api/needs.ts";
import { useApi, useSymbol } from "../../api/queries.ts";
import type { ChainHealth, NeedItem, PaymentItem, PaymentSummary } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { keepChoice, useChoice } from "../../appearance.ts";
import { CurrencySymbol } from "../../parts/currency-symbol.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { Network } from "../../parts/network.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describePayment } from "../../status-words.ts";
import { greet } from "../../times.ts";
import { GROUPS } from "../needs/words.ts";
import { Bars } from "./bars.tsx";
import { Checklist } from "./checklist.tsx";
import { countPaid, listBars, sortTotals, type Total, toKey } from "./days.ts";

const SHOWN = ["chainId", "orderId", "receivedAmount", "refundedAmount", "failureCode", "needs"];
const LATEST = `/v1/payments?limit=3&expand=${SHOWN}`;
const CURRENCIES_MAX = 3;

interface Latest {
  data: PaymentItem[];
  total: number;
}

/** How many of each group of the page of needs. */
const GROUP_WORDS: readonly [one: string, several: string][] = [
  ["thing waits for a decision", "things wait for a decision"],
  ["waits for a signature", "wait for a signature"],
  ["endpoint is failing", "endpoints are failing"],
];

function describeGroups(needs: readonly NeedItem[]): string {
  const parts = GROUPS.flatMap(({ kinds }, at) => {
    const count = needs.filter(({ kind }) => kinds.includes(kind)).length;
    const [one, several] = GROUP_WORDS[at] ?? ["waits", "wait"];
    return count === 0 ? [] : `${count} ${count === 1 ? one : several}`;
  });
  return `${parts.join(", ")}.`;
}

function NeedsLine() {
  const { data } = useNeeds();
  if (data === undefined) return null;
  const needs = data.body.data;
  if (needs.length === 0) {
    return (
      <p className="note good gap-4">
        <Icon name="check" />
        <b className="strong">Nothing waits for you.</b>
      </p>
    );
  }
  const isMore = data.headers.get("X-Next-After") !== null;
  const count = isMore ? `More than ${needs.length - 1}` : needs.length;
  return (
    <Link className="note heed plainlink gap-4" to="/needs">
      <Icon name="needs" />
      <span>
        <b className="strong">
          {count} {needs.length === 1 ? "thing needs" : "things need"} you.
        </b>{" "}
        <span className="quiet">{describeGroups(needs)}</span>
      </span>
    </Link>
  );
}

function Tile({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="card tile-card">
      <dt>{name}</dt>
      {children}
    </div>
  );
}

interface Sum {
  chainId: number;
  currency: string;
  amount: string;
}

/** Each currency for itself; they are never added. */
function Sums({ sums }: { sums: readonly Sum[] }) {
  if (sums.length === 0) return <dd>0.00</dd>;
  return (
    <>
      {sums.slice(0, CURRENCIES_MAX).map(({ chainId, currency, amount }) => (
        <dd key={`${chainId}-${currency}`}>
          {formatAmount(amount)}{" "}
          <span>
            <CurrencySymbol chainId={chainId} currency={currency} />
          </span>
        </dd>
      ))}
      {sums.length > CURRENCIES_MAX && (
        <dd>
          <span>and {sums.length - CURRENCIES_MAX} more currencies</span>
        </dd>
      )}
    </>
  );
}

function PaidOfStarted({ totals }: { totals: readonly Total[] }) {
  const { paid, started } = countPaid(totals);
  if (started === 0) return <dd>–</dd>;
  return (
    <dd>
      {Math.min(Math.round((100 * paid) / started), 100)} %{" "}
      <span>
        {paid.toLocaleString("en")} of {started.toLocaleString("en")}
      </span>
    </dd>
  );
}

function Tiles({ summary, totals }: { summary: PaymentSummary; totals: readonly Total[] }) {
  const today = summary.days
    .filter(({ day, received }) => day === summary.to && received.payments !== 0)
    .map(({ received, ...day }) => ({ ...day, amount: received.amount }));
  const wait = summary.medianWaitSeconds;
  return (
    <dl className="tiles">
      <Tile name="Received today, UTC">
        <Sums sums={today} />
      </Tile>
      <Tile name="Paid of started, 30 days">
        <PaidOfStarted totals={totals} />
      </Tile>
      <Tile name="Shopper's wait, median">
        <dd>
          {wait === null ? "–" : formatSeconds(wait)} <span>created to confirmed</span>
        </dd>
      </Tile>
    </dl>
  );
}

function OneCurrency({ total: { chainId, currency } }: { total: Total }) {
  return (
    <>
      <CurrencySymbol chainId={chainId} currency={currency} /> · <Network chainId={chainId} />
    </>
  );
}

function Currencies({ totals, chosen }: { totals: readonly Total[]; chosen: Total }) {
  if (totals.length === 1) {
    return (
      <span className="quiet">
        <OneCurrency total={chosen} />
      </span>
    );
  }
  return (
    <nav aria-label="Currency">
      {totals.map((one) => (
        <Link
          key={toKey(one)}
          from="/"
          search={(before) => ({ ...before, currency: toKey(one) })}
          {...(one === chosen && { "aria-current": "true" })}
        >
          <OneCurrency total={one} />
        </Link>
      ))}
    </nav>
  );
}

function Chart({
  summary,
  totals,
  chosen,
}: {
  summary: PaymentSummary;
  totals: readonly Total[];
  chosen: string | undefined;
}) {
  const total = totals.find((one) => toKey(one) === chosen) ?? totals[0];
  const symbol = useSymbol(total?.chainId, total?.currency ?? "native") ?? "";
  if (total === undefined) return null;
  return (
    <section className="card chart" aria-label="Received per day">
      <header>
        <h2>Received per day</h2>
        <Currencies totals={totals} chosen={total} />
      </header>
      <Bars bars={listBars(summary, total)} symbol={symbol} />
    </section>
  );
}

function LatestPayments({ payments }: { payments: readonly PaymentItem[] }) {
  return (
    <section className="card mini" aria-label="Latest payments">
      <header>
        <h2>Latest payments</h2>
        <Link to="/payments">All payments</Link>
      </header>
      <ul>
        {payments.map((payment) => (
          <li key={payment.id}>
            <Link to="/payments/$id" params={{ id: payment.id }} className="plainlink strong">
              {formatAmount(payment.amount)}{" "}
              <CurrencySymbol chainId={payment.chainId} currency={payment.currency ?? "native"} />
            </Link>
            <Status words={describePayment(payment)} />
            <span className="end">
              {payment.orderId ?? shortenId(payment.id)} · <Time at={payment.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function describeChain({ followedBlock, secondsBehind, upToDate }: ChainHealth): string {
  if (followedBlock === null || secondsBehind === null) return "not followed yet";
  const block = `block ${followedBlock.toLocaleString("en")}`;
  return upToDate ? block : `${block} · ${formatSeconds(secondsBehind)} behind`;
}

function Chains() {
  const query = useChainHealth();
  return (
    <section className="card mini" aria-label="Chains">
      <header>
        <h2>Chains</h2>
        <Link to="/chains">Details</Link>
      </header>
      <Loaded query={query} what="the chains">
        {({ body }) => (
          <ul>
            {body.map((chain) => (
              <li key={chain.chainId}>
                <Network chainId={chain.chainId} />
                <span className="end">
                  {!chain.upToDate && <span className="dot heed" />} {describeChain(chain)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Figures({ chosen }: { chosen: string | undefined }) {
  const query = useApi<PaymentSummary>("/v1/summary");
  return (
    <Loaded query={query} what="the last 30 days">
      {({ body }) => {
        const totals = sortTotals(body.totals);
        return (
          <>
            <Tiles summary={body} totals={totals} />
            <Chart summary={body} totals={totals} chosen={chosen} />
          </>
        );
      }}
    </Loaded>
  );
}

/** For a screen that customers see, too. */
function HideAmounts() {
  const isHidden = useChoice("amounts") === "hidden";
  return (
    <button
      type="button"
      className="button"
      onClick={() => keepChoice("amounts", isHidden ? "shown" : "hidden")}
    >
      <Icon name="hidden" />
      {isHidden ? "Show amounts" : "Hide amounts"}
    </button>
  );
}

function Home({ chosen }: { chosen: string | undefined }) {
  const workspace = useWorkspace();
  const latest = useApi<Latest>(LATEST);
  useChoice("amounts");
  const navigate = useNavigate();
  const [name = ""] = workspace.session.member.name.split(/\s+/);
  return (
    <>
      <title>Home</title>
      <div className="page-head">
        <h1>
          {greet()}, {name}
        </h1>
        <div className="end">
          <HideAmounts />
          {hasScope(workspace, "payments:write") && (
            <button
              type="button"
              className="button primary"
              onClick={() => void navigate({ to: "/links", search: { open: "new" } })}
            >
              <Icon name="plus" />
              New payment link
            </button>
          )}
        </div>
      </div>
      <NeedsLine />
      <Loaded query={latest} what="payments">
        {({ body: { data } }) =>
          data.length === 0 ? (
            <Checklist />
          ) : (
            <>
              <Figures chosen={chosen} />
              <div className="two">
                <LatestPayments payments={data} />
                <Chains />
              </div>
            </>
          )
        }
      </Loaded>
    </>
  );
}

export const Route = createLazyRoute("/")({
  component: function HomePage() {
    return <Home chosen={Route.useSearch().currency} />;
  },
});
