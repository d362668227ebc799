import type { PendingHash, Server, Status } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { shortened } from "../amount.ts";
import type { OnHandOff } from "../hand-off.ts";
import { isPartPaid, receivedPercent, shownAmount, shownDue } from "../view.ts";
import { useSay, type Word } from "../words.ts";
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
  onSigned: () => void;
  onMoreTime: () => Promise<void>;
  onHandOff: OnHandOff;
}

export function Result(props: Props) {
  const { status, isOver, server, sent, onSigned, onHandOff } = props;
  const say = useSay();
  const shop = status.shop.displayName;
  const amount = shownAmount(status);
  if (sent !== undefined || status.status === "processing") {
    const needsProof = status.needs === "payer_signature";
    return (
      <>
        <Screen title={say(needsProof ? "proofTitle" : "processingTitle")} tone="busy">
          <p class="banner">{say("sentBanner")}</p>
          {!needsProof && <UnderWay isLong={status.needs === "review"} />}
          <Transaction status={status} hash={status.txHash ?? sent?.hash ?? null} />
        </Screen>
        {needsProof && (
          <Proof id={status.id} server={server} onSigned={onSigned} onHandOff={onHandOff} />
        )}
      </>
    );
  }
  if (status.status === "confirmed" || status.status === "refunded") {
    const isBack = status.status === "refunded";
    return (
      <Screen title={say(isBack ? "refundedTitle" : "confirmedTitle")} tone="good">
        <p>{isBack ? say("refunded", { shop }) : say("confirmed", { shop, amount })}</p>
        <Return status={status} />
        <Transaction status={status} hash={isBack ? null : status.txHash} />
      </Screen>
    );
  }
  return status.status === "failed" && !isOver ? <Failed {...props} /> : <Over status={status} />;
}

/** The time is not over, so the rest, or the whole, can still be paid. */
function Failed({ status, onPaid, onMoreTime, onHandOff }: Props) {
  const say = useSay();
  const isPart = status.failureCode === "underpaid" && isPartPaid(status);
  const wallets = useWallets();
  const { receivedAmount, symbol } = status;
  const received = shownAmount({ amount: receivedAmount ?? "0", symbol });
  return (
    <>
      <Countdown status={status} onMoreTime={onMoreTime} />
      {isPart ? (
        <section class="part heed">
          <Heading name="part">{say("partTitle", { received, missing: shownDue(status) })}</Heading>
          <Goal status={status} />
          <p class="hint">{say("partHint")}</p>
          <Transaction status={status} hash={status.txHash} />
        </section>
      ) : (
        <Screen title={say("failedTitle")} tone="heed">
          <Failure status={status} code={status.failureCode} />
          <Transaction status={status} hash={status.txHash} />
        </Screen>
      )}
      <Wallets
        status={status}
        wallets={wallets}
        isRest={isPart}
        onPaid={onPaid}
        onHandOff={onHandOff}
      />
      <ScanOrCopy status={status} isAlternative />
    </>
  );
}

function Goal({ status }: { status: Status }) {
  return (
    <svg class="goal" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" />
      <rect class="got" width={receivedPercent(status)} height="4" />
    </svg>
  );
}

/** Nothing moves on a page that waits for a person: the shopper need not stay for it. */
function UnderWay({ isLong }: { isLong: boolean }) {
  const say = useSay();
  if (isLong) return <p>{say("review")}</p>;
  return (
    <p class="step">
      <Spinner /> <span>{say("processing")}</span>
    </p>
  );
}

const OVER_TITLES: Readonly<Record<string, Word>> = {
  late: "lateTitle",
  cancelled: "cancelledTitle",
};

/** No money counts any more, so nothing here helps to send some. */
function Over({ status }: { status: Status }) {
  const say = useSay();
  const { failureCode, receivedAmount, symbol } = status;
  const shop = status.shop.displayName;
  const arrived = {
    shop,
    received: shownAmount({ amount: receivedAmount ?? "0", symbol }),
    amount: shownAmount(status),
  };
  const isPart = failureCode !== "late" && receivedAmount !== null;
  return (
    <Screen title={say(OVER_TITLES[failureCode ?? ""] ?? "expiredTitle")} tone="still">
      {isPart && <p>{say("partOver", arrived)}</p>}
      <p>{say(failureCode === "late" ? "late" : "expired")}</p>
      <Return status={status} />
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
  still: "M32 18v16l9 6",
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
function Return({ status }: { status: Status }) {
  const say = useSay();
  if (status.returnUrl === null) return null;
  return (
    <a class="button primary large" href={status.returnUrl} rel="noreferrer">
      {say("returnToShop", { shop: status.shop.displayName })}
    </a>
  );
}

function Transaction({ status, hash }: { status: Status; hash: string | null }) {
  const say = useSay();
  if (hash === null) return null;
  return (
    <>
      <dl class="rows">
        <CopyRow name={say("transaction")} shown={shortened(hash)} copied={hash} isCode />
      </dl>
      {status.explorerTxUrl !== null && (
        <a href={status.explorerTxUrl} rel="noreferrer noopener" target="_blank">
          {say("viewTransaction")}
        </a>
      )}
    </>
  );
}
