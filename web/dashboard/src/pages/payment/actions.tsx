// What a person can do about a payment now, and no other.
import { useState } from "react";
import { formatAmount, formatMoved, isMore, isZero, subtractAmount } from "../../amounts.ts";
import { useWrite } from "../../api/queries.ts";
import type { Payment, PaymentExplain } from "../../api/records.ts";
import { ConfirmDialog, FieldError } from "../../parts/confirm-dialog.tsx";
import { focusField } from "../../parts/focus.ts";
import { Icon } from "../../parts/icon.tsx";

type Action = PaymentExplain["actions"][number];
type Name = Action["name"];

interface Facts {
  payment: Payment;
  explanation: PaymentExplain;
  symbol: string;
}

/** What is left of the received money after refunds that are done or under way. */
function computeRefundable({ receivedAmount, refunds = [] }: Payment): string {
  return refunds
    .filter(({ status }) => status !== "failed")
    .reduce((left, { amount }) => subtractAmount(left, amount), receivedAmount ?? "0");
}

/** A scope that is missing is what another member can do; any other reason is one of the payment. */
function isMissingScope({ why, needs }: Action): boolean {
  return why?.includes(needs) === true;
}

function buildLabel(name: Name, { payment }: Facts): string {
  const labels: Record<Name, string> = {
    accept: "Accept as paid",
    reject: "Do not accept",
    refund: `Return ${formatAmount(computeRefundable(payment))}`,
    submit_transaction: "Submit a transaction hash",
    cancel: "Cancel payment",
  };
  return labels[name];
}

function Accept({ payment, symbol }: Facts) {
  const { amount, receivedAmount } = payment;
  return (
    <p>
      {formatMoved(receivedAmount ?? "0")} of {formatMoved(amount)} {symbol} counts as the whole
      payment. It is confirmed, and your shop is told.
    </p>
  );
}

function Reject() {
  return <p>The money does not count as paid. Return it to the payer afterwards.</p>;
}

function Cancel() {
  return <p>The shopper can no longer pay. Money that is on its way arrives unmatched.</p>;
}

function Submit() {
  return (
    <>
      <p>The hash says where to look. The transaction still has to pass every rule.</p>
      <label>
        Transaction hash
        <input
          className="field mono"
          name="txHash"
          required
          pattern="0x[0-9a-fA-F]{64}"
          title="0x and 64 hexadecimal digits"
          autoComplete="off"
        />
      </label>
    </>
  );
}

function RefundFields({ payment, symbol }: Facts) {
  const refundable = computeRefundable(payment);
  return (
    <>
      <p>The refund waits until the shop's wallet has signed it.</p>
      <label>
        Amount in {symbol}
        <input
          className="field"
          name="amount"
          required
          ref={focusField}
          inputMode="decimal"
          pattern="\d+(\.\d+)?"
          title="A number with a point, e.g. 1.5"
          defaultValue={refundable}
        />
        <span className="tip">At most {formatMoved(refundable)}</span>
        <FieldError name="amount" />
      </label>
      <label>
        Wallet that receives it
        <input
          className="field mono"
          name="destinationAddress"
          pattern="0x[0-9a-fA-F]{40}"
          title="0x and 40 hexadecimal digits"
          autoComplete="off"
        />
        <span className="tip">Empty: the wallet that paid</span>
        <FieldError name="destinationAddress" />
      </label>
      <label>
        Reason
        <input className="field" name="reason" maxLength={500} />
        <span className="tip">For you and your customer</span>
      </label>
    </>
  );
}

const DIALOGS: Record<Name, { title: string; fields: (facts: Facts) => React.ReactNode }> = {
  accept: { title: "Accept as paid", fields: Accept },
  refund: { title: "Return money", fields: RefundFields },
  reject: { title: "Do not accept this money?", fields: Reject },
  submit_transaction: { title: "Submit a transaction hash", fields: Submit },
  cancel: { title: "Cancel this payment?", fields: Cancel },
};

/** The field of the form for a refund that an error is about. */
const FIELDS: Readonly<Record<string, string>> = {
  refund_amount_required: "amount",
  refund_amount_too_large: "amount",
  refund_limit_exceeded: "amount",
  refund_destination_required: "destinationAddress",
  refund_destination_invalid: "destinationAddress",
  refund_destination_forbidden: "destinationAddress",
};

function readFields(form: FormData): Record<string, string> {
  const entries = [...form.entries()].map(([name, value]) => [name, String(value).trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

/** More than the payment's amount is a surplus, which is returned apart. */
function buildRequest(name: Name, { payment }: Facts, form: FormData) {
  const { id, amount, receivedAmount, status } = payment;
  const fields = readFields(form);
  const path = `/v1/payments/${id}`;
  switch (name) {
    case "accept":
      return { path: `${path}/resolve`, body: { action: "accept" } };
    case "reject":
      return { path: `${path}/resolve`, body: { action: "reject" } };
    case "cancel":
      return { path: `${path}/cancel` };
    case "submit_transaction":
      return { path: `${path}/transaction`, body: fields };
    case "refund": {
      const surplus = subtractAmount(receivedAmount ?? "0", amount);
      const isSurplus =
        status === "confirmed" && !isZero(surplus) && !isMore(fields.amount ?? "0", surplus);
      return {
        path: "/v1/refunds",
        body: { paymentId: id, ...fields, ...(isSurplus && { surplus: true }) },
      };
    }
  }
}

export function Actions(facts: Facts) {
  const [open, setOpen] = useState<Name>();
  const { mutateAsync } = useWrite();
  const { actions } = facts.explanation;
  const allowed = actions.filter((action) => action.allowed).map(({ name }) => name);
  const missing = new Set(actions.filter(isMissingScope).map(({ needs }) => needs));
  if (allowed.length === 0 && missing.size === 0) return null;
  const dialog = open && DIALOGS[open];
  const advised = facts.explanation.nextStep.action === "refund" ? "refund" : "accept";
  return (
    <>
      <div className="now">
        {allowed.map((name) => (
          <button
            key={name}
            type="button"
            className={name === advised ? "button primary" : "button"}
            onClick={() => setOpen(name)}
          >
            {name === "refund" && <Icon name="back" />}
            {buildLabel(name, facts)}
          </button>
        ))}
      </div>
      {missing.size > 0 && (
        <p className="small faint">
          More can be done with {[...missing].join(" and ")}, which your role does not have.
        </p>
      )}
      {open && dialog && (
        <ConfirmDialog
          title={dialog.title}
          action={open === "refund" ? "Create refund" : buildLabel(open, facts)}
          isDanger={open === "cancel"}
          fields={FIELDS}
          close={() => setOpen(undefined)}
          run={(idempotencyKey, form) =>
            mutateAsync({ ...buildRequest(open, facts, form), idempotencyKey })
          }
        >
          {dialog.fields(facts)}
        </ConfirmDialog>
      )}
    </>
  );
}
