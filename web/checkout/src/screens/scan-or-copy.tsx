import type { Status } from "@pay/sdk/browser";
import { useState } from "preact/hooks";
import { shownDue } from "../view.ts";
import { useSay, type Word } from "../words.ts";
import { CopyRow } from "./copy-row.tsx";
import { QrCode } from "./qr-code.tsx";

type Tab = "code" | "address";

interface Props {
  status: Status;
  title: Word;
}

export function ScanOrCopy({ status, title: word }: Props) {
  const say = useSay();
  const [tab, setTab] = useState<Tab>("code");
  const due = shownDue(status);
  const title = say(word);
  if (status.paymentUri === null) return null;
  return (
    <section class="part" aria-labelledby="scan-or-copy">
      <h2 id="scan-or-copy">{title}</h2>
      <fieldset class="tabs">
        <legend class="hidden-text">{title}</legend>
        <TabButton name="code" chosen={tab} label={say("tabCode")} onChoose={setTab} />
        <TabButton name="address" chosen={tab} label={say("tabAddress")} onChoose={setTab} />
      </fieldset>
      <QrCode text={tab === "code" ? status.paymentUri : status.payTo} label={say("codeAlt")} />
      <p class="hint">
        {say(tab === "code" ? "codeHint" : "addressHint", {
          network: status.chainName,
          amount: due,
        })}
      </p>
      <dl class="rows">
        <CopyRow name={say("amount")} shown={due} copied={status.missingAmount ?? status.amount} />
        <CopyRow name={say("address")} shown={status.payTo} isCode />
      </dl>
      {status.currency !== "native" && (
        <details>
          <summary>{say("contract")}</summary>
          <p class="problem">{say("contractWarning")}</p>
          <dl class="rows">
            <CopyRow name={say("contract")} shown={status.currency} isCode />
          </dl>
        </details>
      )}
    </section>
  );
}

function TabButton(given: { name: Tab; chosen: Tab; label: string; onChoose: (tab: Tab) => void }) {
  const { name, chosen, label, onChoose } = given;
  return (
    <label class="tab">
      <input
        type="radio"
        name="scan-or-copy"
        checked={name === chosen}
        onChange={() => onChoose(name)}
      />
      <span>{label}</span>
    </label>
  );
}
