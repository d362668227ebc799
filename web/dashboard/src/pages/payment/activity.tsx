import { formatAmount } from "../../amounts.ts";
import { useChain } from "../../api/queries.ts";
import type { Payment, PaymentExplain, PaymentTimeline } from "../../api/records.ts";
import { Icon } from "../../parts/icon.tsx";
import { Id } from "../../parts/id.tsx";
import { Time } from "../../parts/time.tsx";
import { formatExact, formatUtc, formatWhen, isSameDay } from "../../times.ts";
import { describeStep, WARNINGS } from "./steps.ts";

type Transaction = PaymentExplain["transactions"][number];

const OUTCOMES: Record<Transaction["rules"][number]["outcome"], string> = {
  passed: "passed",
  failed: "failed",
  waiting: "waits",
  not_applied: "not needed",
  not_reached: "not reached",
};

function countProviders({ providersAgreeing, providersContradicting }: Transaction): string {
  if (providersAgreeing === null) return "not compared yet";
  const against = providersContradicting ? `, ${providersContradicting} say something else` : "";
  return `${providersAgreeing} of ${providersAgreeing + (providersContradicting ?? 0)} providers${against}`;
}

/** What the service knows about a transaction, for the person who asks why. */
function Proof({
  transaction,
  chainId,
  symbol,
}: {
  transaction: Transaction;
  chainId: number;
  symbol: string;
}) {
  const explorer = useChain(chainId)?.blockExplorerUrl?.replace(/\/$/, "");
  const { txHash, blockNumber, chainHead, rules, transfers } = transaction;
  const told = rules.filter(({ outcome }) => outcome !== "not_reached");
  return (
    <details className="proof">
      <summary>
        <Icon name="next" isSmall />
        Why it counts or not
      </summary>
      <dl>
        <dt>Transaction</dt>
        <dd>
          <Id
            text={txHash}
            label="transaction hash"
            href={explorer && `${explorer}/tx/${txHash}`}
          />
        </dd>
        <dt>Block</dt>
        <dd>
          {blockNumber === null ? "in none yet" : blockNumber.toLocaleString("en")}
          {chainHead !== null && `, checked at ${chainHead.toLocaleString("en")}`}
        </dd>
        <dt>Seen by</dt>
        <dd>{countProviders(transaction)}</dd>
        {transfers.map((transfer) => (
          <div className="pair" key={`${transfer.txHash} ${transfer.logIndex}`}>
            <dt>Transfer</dt>
            <dd>
              {formatAmount(transfer.amount)} {symbol} from{" "}
              <Id text={transfer.from} label="sender" />, {formatUtc(transfer.minedAt)}
            </dd>
          </div>
        ))}
        {told.map(({ name, outcome, text }) => (
          <div className="pair" key={name}>
            <dt>Rule: {OUTCOMES[outcome]}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Step({
  step,
  payment,
  transaction,
  symbol,
}: {
  step: PaymentTimeline;
  payment: Payment;
  transaction: Transaction | undefined;
  symbol: string;
}) {
  const { word, tone, icon } = describeStep(step);
  const isWarning = WARNINGS.has(step.event);
  return (
    <li>
      <span className={`pin ${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <b>{word}</b>
        {step.reason && step.reason !== "cancelled" && (
          <p className="who">
            Reason: <code>{step.reason}</code>
          </p>
        )}
        {isWarning && (
          <p className="note bad">
            <Icon name="warning" />
            Ship nothing for this payment until it is confirmed again.
          </p>
        )}
        {transaction && (
          <Proof transaction={transaction} chainId={payment.chainId} symbol={symbol} />
        )}
      </div>
      <Time at={step.at} format={isToday(step.at) ? formatExact : formatWhen} />
    </li>
  );
}

function isToday(at: string): boolean {
  return isSameDay(new Date(at), new Date());
}

/** Newest first. A transaction's evidence stands under the last step that names it. */
export function Activity({
  payment,
  explanation,
  symbol,
}: {
  payment: Payment;
  explanation: PaymentExplain | undefined;
  symbol: string;
}) {
  const steps = [...(payment.timeline ?? [])].reverse();
  const shown = new Set<string>();
  function takeTransaction({ txHash }: PaymentTimeline): Transaction | undefined {
    if (txHash === null || shown.has(txHash)) return undefined;
    shown.add(txHash);
    return explanation?.transactions.find((known) => known.txHash === txHash);
  }

  const rows = steps.map((step) => ({ step, transaction: takeTransaction(step) }));
  return (
    <section className="section">
      <header>
        <h2>Activity</h2>
      </header>
      <ol className="timeline">
        {rows.map(({ step, transaction }) => (
          <Step
            key={`${step.event} ${step.at} ${step.txHash}`}
            step={step}
            payment={payment}
            transaction={transaction}
            symbol={symbol}
          />
        ))}
      </ol>
    </section>
  );
}
