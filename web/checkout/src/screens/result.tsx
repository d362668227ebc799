import { isAuthorized, type PendingHash, type Server, type Status } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { shortened, toBase, toDecimal } from "../amount.ts";
import type { OnHandOff } from "../hand-off.ts";
import { isPartPaid, needsProof, receivedPercent, shownAmount, shownDue } from "../view.ts";
import { Speech, useSay, type Word } from "../words.ts";
import { CopyRow } from "./copy-row.tsx";
import { Countdown } from "./countdown.tsx";
import { Failure } from "./failure.tsx";
import { ShopLink } from "./layout.tsx";
import { Heading, Spinner } from "./notice.tsx";
import { Proof } from "./proof.tsx";
import { ScanOrCopy } from "./scan-or-copy.tsx";
import { useWallets, Wallets } from "./wallets.tsx";

interface Props {
  status: Status;
  isOver: boolean;
  server: Server;
  /** The hash that the server does not know yet. */
  sent: PendingHash | undefined;
  onPaid: (sent: PendingHash) => void;
  /** The server has a signature. */
  onSigned: () => void;
  onMoreTime: () => Promise<void>;
  onHandOff: OnHandOff;
}

export function Result(props: Props) {
  const { status, isOver, sent } = props;
  const isSent = sent !== undefined || status.status === "processing" || isAuthorized(status);
  if (status.status === "confirmed" || status.status === "refunded")
    return <Paid status={status} />;
  if (isSent && !needsProof(status)) return <UnderWay {...props} />;
  if (status.status === "expired" || (isOver && !isSent)) return <Over status={status} />;
  return needsProof(status) ? <Unproven {...props} isSent={isSent} /> : <Unpaid {...props} />;
}

/** Nothing moves on a page that waits for a person: the shopper need not stay for it. */
function UnderWay({ status, sent }: Props) {
  const say = useSay();
  return (
    <Screen title={say("processingTitle")} tone="busy">
      <p class="banner">{say("sentBanner")}</p>
      {status.needs === "review" ? <p>{say("review")}</p> : <Progress status={status} />}
      <Transaction
        status={status}
        hash={status.txHash ?? sent?.hash ?? status.authorization?.txHash ?? null}
      />
    </Screen>
  );
}

function Progress({ status }: { status: Status }) {
  const say = useSay();
  const { confirmations, confirmationsNeeded: needed, estimatedSeconds: seconds } = status;
  const count = confirmations ?? 0;
  const minutes = Math.ceil((seconds ?? 0) / 60);
  return (
    <>
      <p class="step">
        <Spinner /> <span>{say("processing")}</span>
      </p>
      {needed !== null && needed > 1 && <Goal percent={(100 * count) / needed} />}
      <p class="hint ends">
        <span>{needed !== null && needed > 1 && say("confirmations", { count, needed })}</span>
        <span>{seconds !== null && say(seconds < 60 ? "soon" : "aboutMinutes", { minutes })}</span>
      </p>
    </>
  );
}

/** The wallet that paid shows which order it meant. Whose own transfer it was not, pays as before. */
function Unproven({ isSent, ...props }: Props & { isSent: boolean }) {
  const { status, server, sent, onSigned, onHandOff } = props;
  const say = useSay();
  const { language } = useContext(Speech);
  const last = status.arrived.at(-1);
  return (
    <>
      <Screen title={say("proofTitle")} tone="busy">
        {isSent && <p class="banner">{say("sentBanner")}</p>}
        {last !== undefined && (
          <p>
            {say("arrived", {
              amount: shownAmount({ amount: last.amount, symbol: status.symbol }),
              time: new Date(last.at).toLocaleTimeString(language, { timeStyle: "short" }),
            })}
          </p>
        )}
        <p class="hint">{say("proofFree")}</p>
        <ShopLink status={status} />
        <Transaction status={status} hash={status.txHash ?? sent?.hash ?? null} />
      </Screen>
      <Proof status={status} server={server} onSigned={onSigned} onHandOff={onHandOff} />
      {!isSent && <ScanOrCopy status={status} title="notYours" />}
    </>
  );
}

function Paid({ status }: { status: Status }) {
  const say = useSay();
  const { receivedAmount, amount, symbol, refunds } = status;
  const shop = status.shop.displayName;
  const received = shownAmount({ amount: receivedAmount ?? amount, symbol });
  if (status.status === "confirmed") {
    return (
      <Screen title={say("confirmedTitle")} tone="good">
        <p>{say("confirmed", { shop, amount: received })}</p>
        <Excess status={status} />
        <Refunds status={status} />
        <Return status={status} />
        <Transaction status={status} hash={status.txHash} />
      </Screen>
    );
  }
  const isBack = refunds.some(isCompleted);
  return (
    <Screen title={say("refundedTitle")} tone="returned">
      <p>{say(isBack ? "refunded" : "refundDue", { shop })}</p>
      <Refunds status={status} />
      <Return status={status} />
    </Screen>
  );
}

/** The shop has not sent it back yet. */
function Excess({ status }: { status: Status }) {
  const say = useSay();
  const { receivedAmount, amount: due, symbol, decimals, refunds } = status;
  const excess = toBase(receivedAmount ?? due, decimals) - toBase(due, decimals);
  if (excess <= 0n || refunds.some(isCompleted)) return null;
  const amount = shownAmount({ amount: toDecimal(excess, decimals), symbol });
  return <p class="problem">{say("tooMuch", { amount })}</p>;
}

function isCompleted({ status }: Status["refunds"][number]): boolean {
  return status === "completed";
}

/** What went back, each with its own transaction. */
function Refunds({ status }: { status: Status }) {
  const say = useSay();
  const { receivedAmount, amount: asked, symbol, decimals } = status;
  const refunds = status.refunds.filter(isCompleted);
  if (refunds.length === 0) return null;
  const sum = refunds.reduce((total, { amount }) => total + toBase(amount, decimals), 0n);
  const received = shownAmount({ amount: receivedAmount ?? asked, symbol });
  return (
    <>
      <p>{say("sentBack", { refunded: toDecimal(sum, decimals), received })}</p>
      {refunds.map(({ amount, txHash, explorerTxUrl, at }) => (
        <Transaction
          key={txHash}
          name={shownAmount({ amount, symbol })}
          status={{ explorerTxUrl }}
          hash={txHash}
          at={at}
        />
      ))}
    </>
  );
}

/** The time is not over, so the rest, or the whole, can still be paid. */
function Unpaid({ status, server, onPaid, onSigned, onMoreTime, onHandOff }: Props) {
  const say = useSay();
  const isPart = isPartPaid(status);
  const wallets = useWallets();
  const { receivedAmount, symbol } = status;
  const received = shownAmount({ amount: receivedAmount ?? "0", symbol });
  return (
    <>
      <Countdown status={status} onMoreTime={onMoreTime} />
      {isPart ? (
        <section class="part heed">
          <Heading name="part">{say("partTitle", { received, missing: shownDue(status) })}</Heading>
          <Goal percent={receivedPercent(status)} />
          <p class="hint">{say("partHint")}</p>
          <Transaction status={status} hash={status.txHash} />
        </section>
      ) : (
        <Screen title={say("failedTitle")} tone="bad">
          <Failure status={status} code={status.failureCode} />
          <ShopLink status={status} />
          <Transaction status={status} hash={status.txHash} />
        </Screen>
      )}
      <Wallets
        status={status}
        server={server}
        wallets={wallets}
        isRest={isPart}
        onPaid={onPaid}
        onSigned={onSigned}
        onHandOff={onHandOff}
      />
      <ScanOrCopy status={status} title="orScan" />
    </>
  );
}

function Goal({ percent }: { percent: number }) {
  return (
    <svg class="goal" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" />
      <rect class="got" width={percent} height="4" />
    </svg>
  );
}

const OVER_TITLES: Readonly<Record<string, Word>> = {
  late: "lateTitle",
  cancelled: "cancelledTitle",
};

/** No money counts any more, so nothing here helps to send some. */
function Over({ status }: { status: Status }) {
  const say = useSay();
  const { failureCode, receivedAmount, symbol, arrived } = status;
  const code = failureCode ?? "";
  const sums = {
    shop: status.shop.displayName,
    received: shownAmount({ amount: receivedAmount ?? "0", symbol }),
    amount: shownAmount(status),
  };
  const isUnclear = code === "ambiguous" || arrived.length > 0;
  const unpaid = isUnclear ? "ambiguous" : "expired";
  const hasMoney = isUnclear || receivedAmount !== null;
  return (
    <Screen title={say(OVER_TITLES[code] ?? "expiredTitle")} tone={hasMoney ? "heed" : "still"}>
      <p>{say(receivedAmount === null ? unpaid : "partOver", sums)}</p>
      <Refunds status={status} />
      <Return status={status} url={status.cancelUrl ?? status.returnUrl} />
      <ShopLink status={status} />
      <Transaction status={status} hash={status.txHash} />
      <dl class="rows">
        <CopyRow name={say("paymentId")} shown={status.id} isCode />
      </dl>
    </Screen>
  );
}

function Screen(given: { title: string; tone: string; children: ComponentChildren }) {
  return (
    <section class={`part ${given.tone}`}>
      <Mark tone={given.tone} />
      <Heading name={given.title}>{given.title}</Heading>
      {given.children}
    </section>
  );
}

const MARKS: Record<string, string> = {
  good: "M20 33l9 9 16-19",
  heed: "M32 18v18M32 45v1",
  bad: "M23 23l18 18M41 23l-18 18",
  still: "M32 18v16l9 6",
  returned: "M27 21l-11 11 11 11M16 32h31",
};

/** What the heading says, for those who only glance. */
function Mark({ tone }: { tone: string }) {
  const path = MARKS[tone];
  if (path === undefined) return null;
  return (
    <svg class="mark" viewBox="0 0 64 64" aria-hidden="true">
      <circle cx="32" cy="32" r="29" />
      <path d={path} />
    </svg>
  );
}

/** A link, because a page that moves on by itself takes the result from people who read slowly. */
function Return({ status, url = status.returnUrl }: { status: Status; url?: string | null }) {
  const say = useSay();
  if (url === null) return null;
  return (
    <a class="button primary large" href={url} rel="noreferrer">
      {say("returnToShop", { shop: status.shop.displayName })}
    </a>
  );
}

function Transaction(given: {
  status: Pick<Status, "explorerTxUrl">;
  hash: string | null;
  name?: string;
  at?: string;
}) {
  const say = useSay();
  const { language } = useContext(Speech);
  const { status, hash, at, name = say("transaction") } = given;
  if (hash === null) return null;
  return (
    <>
      <dl class="rows">
        <CopyRow name={name} shown={shortened(hash)} copied={hash} isCode />
      </dl>
      {(status.explorerTxUrl !== null || at !== undefined) && (
        <p class="ends">
          {status.explorerTxUrl !== null && (
            <a href={status.explorerTxUrl} rel="noreferrer noopener" target="_blank">
              {say("viewTransaction")}
            </a>
          )}
          {at !== undefined && (
            <time class="hint" dateTime={at}>
              {new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })}
            </time>
          )}
        </p>
      )}
    </>
  );
}
