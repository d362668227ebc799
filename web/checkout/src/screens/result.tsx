import type { Sent, Server, Status } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { shortened } from "../amount.ts";
import type { OnHandOff } from "../hand-off.ts";
import { useSay } from "../speech.ts";
import { shownAmount } from "../view.ts";
import type { Word } from "../words.ts";
import { CopyRow } from "./copy-row.tsx";
import { Failure } from "./failure.tsx";
import { Heading } from "./heading.tsx";
import { Spinner } from "./notice.tsx";
import { Proof } from "./proof.tsx";
import { ScanOrCopy } from "./scan-or-copy.tsx";
import { Wallets } from "./wallets.tsx";

interface Props {
  status: Status;
  server: Server;
  /** The hash that the server does not know yet. */
  sent: Sent | undefined;
  onPaid: (sent: Sent) => void;
  onSigned: () => void;
  onHandOff: OnHandOff;
}

export function Result({ status, server, sent, onPaid, onSigned, onHandOff }: Props) {
  const say = useSay();
  const shop = status.shop.displayName;
  const amount = shownAmount(status);
  if (sent !== undefined || status.status === "processing") {
    const needsProof = status.needs === "payer_signature";
    return (
      <Screen title={needsProof ? "proofTitle" : "processingTitle"} tone="under-way">
        <p class="banner">{say("sentBanner")}</p>
        {needsProof ? (
          <Proof id={status.id} server={server} onSigned={onSigned} onHandOff={onHandOff} />
        ) : (
          <UnderWay isLong={status.needs === "review"} />
        )}
        <Transaction status={status} hash={status.txHash ?? sent?.hash ?? null} />
      </Screen>
    );
  }
  if (status.status === "confirmed") {
    return (
      <Screen title="confirmedTitle" tone="good">
        <p>{say("confirmed", { shop, amount })}</p>
        <Return status={status} />
        <Transaction status={status} hash={status.txHash} />
      </Screen>
    );
  }
  if (status.status === "refunded") {
    return (
      <Screen title="refundedTitle" tone="good">
        <p>{say("refunded", { shop })}</p>
        <Return status={status} />
        <Transaction status={status} hash={status.txHash} />
      </Screen>
    );
  }
  if (status.status === "expired") return <Expired status={status} />;
  return (
    <Screen title="failedTitle" tone="bad">
      <Failure status={status} code={status.failureCode} />
      <Transaction status={status} hash={status.txHash} />
      <Wallets status={status} server={server} onPaid={onPaid} onHandOff={onHandOff} />
      <ScanOrCopy status={status} />
    </Screen>
  );
}

/** Nothing moves on a page that waits for a person: the shopper need not stay for it. */
function UnderWay({ isLong }: { isLong: boolean }) {
  const say = useSay();
  if (isLong) return <p>{say("review")}</p>;
  return (
    <>
      <Spinner />
      <p>{say("processing")}</p>
    </>
  );
}

const EXPIRED_TITLES: Readonly<Record<string, Word>> = {
  late: "lateTitle",
  cancelled: "cancelledTitle",
};

function Expired({ status }: { status: Status }) {
  const say = useSay();
  const { failureCode } = status;
  return (
    <Screen title={EXPIRED_TITLES[failureCode ?? ""] ?? "expiredTitle"} tone="bad">
      <p>{say(failureCode === "late" ? "late" : "expired")}</p>
      <Return status={status} />
      <Transaction status={status} hash={status.txHash} />
    </Screen>
  );
}

function Screen(given: { title: Word; tone: string; children: ComponentChildren }) {
  const say = useSay();
  return (
    <section class={`result ${given.tone}`}>
      <Mark tone={given.tone} />
      <Heading name={given.title}>{say(given.title)}</Heading>
      {given.children}
    </section>
  );
}

const MARKS: Record<string, string> = { good: "M20 33l9 9 16-19", bad: "M32 18v18M32 45v1" };

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
    <a class="return" href={status.returnUrl} rel="noreferrer">
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
