import { useState } from "react";
import { formatMoved } from "../../amounts.ts";
import { useApi, useWrite } from "../../api/queries.ts";
import type { Payment, TransferItem } from "../../api/records.ts";
import { ConfirmDialog, FieldError } from "../../parts/confirm-dialog.tsx";
import { CurrencySymbol } from "../../parts/currency-symbol.tsx";
import { shortenId } from "../../parts/id.tsx";
import { Status } from "../../parts/status.tsx";
import { describePayment } from "../../status-words.ts";

const SHOWN = ["orderId", "receivedAmount", "failureCode", "needs"];

function Candidate({ id, choose }: { id: string; choose: () => void }) {
  const { data } = useApi<Payment>(`/v1/payments/${id}?expand=${SHOWN.join(",")}`);
  const payment = data?.body;
  return (
    <label className="choice">
      <input type="radio" name="candidate" onChange={choose} />
      {payment === undefined ? (
        <span className="mono">{shortenId(id)}</span>
      ) : (
        <>
          <span>
            {formatMoved(payment.amount)}{" "}
            <CurrencySymbol chainId={payment.chainId} currency={payment.currency} />,{" "}
            {payment.orderId ?? shortenId(id)}
          </span>
          <Status words={describePayment(payment)} />
        </>
      )}
    </label>
  );
}

/** Says which payment a transfer is for. Money that nobody wants to keep is returned from that payment. */
export function AssignDialog({ transfer, close }: { transfer: TransferItem; close: () => void }) {
  const { mutateAsync } = useWrite();
  const [paymentId, setPaymentId] = useState("");
  const { id, amount, chainId, currency, candidates } = transfer;
  return (
    <ConfirmDialog
      title="Which payment is it for?"
      action="Assign"
      fields={{ payment_not_found: "paymentId", transfer_mismatch: "paymentId" }}
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({
          path: `/v1/transfers/${id}/assign`,
          body: { paymentId: paymentId.trim() },
          idempotencyKey,
        })
      }
    >
      <p>
        The {formatMoved(amount)} <CurrencySymbol chainId={chainId} currency={currency} /> of this
        transfer then count for the payment, by your word. To return the money, assign it and return
        it from there.
      </p>
      {candidates.length > 0 && (
        <fieldset className="candidates">
          <legend>It may be meant for</legend>
          {candidates.map((one) => (
            <Candidate key={one} id={one} choose={() => setPaymentId(one)} />
          ))}
        </fieldset>
      )}
      <label>
        Payment
        <input
          className="field mono"
          required
          value={paymentId}
          onChange={({ target }) => setPaymentId(target.value)}
          pattern="\s*pay_[0-9A-Za-z]{24}\s*"
          title="An id that begins with pay_"
          autoComplete="off"
        />
        <span className="tip">Id that begins with pay_, on the same network and wallet</span>
        <FieldError name="paymentId" />
      </label>
    </ConfirmDialog>
  );
}
