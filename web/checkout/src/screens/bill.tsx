// What is paid, to whom and on which network: left on a desk, above on a phone.
import type { Status } from "@pay/sdk/browser";
import { useContext } from "preact/hooks";
import { isPartPaid, shownAmount, shownDisplayAmount } from "../view.ts";
import { Speech, useSay } from "../words.ts";
import { Icon } from "./icon.tsx";
import { Heading } from "./notice.tsx";

interface Props {
  status: Status;
  isReady: boolean;
  isOver: boolean;
}

export function Bill({ status, isReady, isOver }: Props) {
  const say = useSay();
  const { language } = useContext(Speech);
  const shop = status.shop.displayName;
  const displayed = shownDisplayAmount(status, language);
  const isPart = isPartPaid(status) && !isOver;
  const due = isPart ? (status.missingAmount ?? status.amount) : status.amount;
  const isDead = status.status === "expired" || (isOver && status.status === "failed");
  const sum = (
    <>
      {say(isPart ? "stillToPay" : "pay")}{" "}
      <bdi class="sum">
        <span>{due}</span> <small>{status.symbol}</small>
      </bdi>
    </>
  );
  return (
    <section class={isDead ? "bill over" : "bill"}>
      <p class="shop">
        <Logo status={status} />
        <bdi>{shop}</bdi>
      </p>
      <div>
        {isReady ? <Heading name="ready">{sum}</Heading> : <p class="lead">{sum}</p>}
        {isPart && <span class="of">{say("ofAmount", { amount: shownAmount(status) })}</span>}
        {!isPart && displayed !== undefined && <bdi class="of">{displayed}</bdi>}
      </div>
      <dl>
        {status.description !== null && (
          <div class="wide">
            <dt>{say("for")}</dt>
            <dd>{status.description}</dd>
          </div>
        )}
        <div>
          <dt>{say("network")}</dt>
          <dd>{status.chainName}</dd>
        </div>
      </dl>
      <p class="trust">
        <Icon name="shield" />
        <span>{say("trust", { shop })}</span>
      </p>
    </section>
  );
}

function Logo({ status: { shop } }: { status: Status }) {
  if (shop.logoUrl !== null) {
    return <img class="logo" src={new URL(shop.logoUrl, location.href).pathname} alt="" />;
  }
  const [first = ""] = shop.displayName;
  return (
    <span class="tile" aria-hidden="true">
      {first.toUpperCase()}
    </span>
  );
}
