import type { Status } from "@pay/sdk/browser";
import { useState } from "preact/hooks";
import { useSay } from "../speech.ts";
import { shownDue } from "../view.ts";
import { CopyRow } from "./copy-row.tsx";
import { QrCode } from "./qr-code.tsx";

type Tab = "code" | "address";

export function ScanOrCopy({ status }: { status: Status }) {
  const say = useSay();
  const [tab, setTab] = useState<Tab>("code");
  const due = shownDue(status);
  const isToken = status.currency !== "native";
  return (
    <section class="card" aria-labelledby="scan-or-copy">
      <h2 id="scan-or-copy">{say("scanOrCopy")}</h2>
      <p class="network-name">
        {say("network")}: <strong>{status.chainName}</strong>
      </p>
      <fieldset class="tabs">
        <legend class="hidden">{say("scanOrCopy")}</legend>
        <TabButton name="code" chosen={tab} label={say("tabCode")} onChoose={setTab} />
        <TabButton name="address" chosen={tab} label={say("tabAddress")} onChoose={setTab} />
      </fieldset>
      <QrCode
        text={tab === "code" ? status.paymentUri : status.recipientAddress}
        label={say("codeAlt")}
      />
      <p class="hint">
        {say(tab === "code" ? "codeHint" : "addressHint", {
          network: status.chainName,
          amount: due,
        })}
      </p>
      <dl class="rows">
        <CopyRow name={say("amount")} shown={due} copied={status.missingAmount ?? status.amount} />
        <CopyRow name={say("address")} shown={status.recipientAddress} isCode />
        {isToken && <CopyRow name={say("contract")} shown={status.currency} isCode />}
      </dl>
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
