// What every list of payments begins with.
import { Link } from "@tanstack/react-router";
import type { PaymentItem } from "../api/records.ts";
import { describePayment } from "../status-words.ts";
import { Money } from "./currency-symbol.tsx";
import { shortenId } from "./id.tsx";
import { Status } from "./status.tsx";

/** Amount, status and order, under `PAYMENT_COLUMNS`. */
export function PaymentCells({
  payment,
  grows = false,
}: {
  payment: PaymentItem;
  /** Whether the order takes the room that is left. */
  grows?: boolean;
}) {
  const { id, amount, chainId, currency, orderId } = payment;
  return (
    <>
      <td className="amount">
        <Link to="/payments/$id" params={{ id }} className="plainlink">
          <Money amount={amount} chainId={chainId} currency={currency} />
        </Link>
      </td>
      <td className="r">
        <Status words={describePayment(payment)} />
      </td>
      <td className={grows ? "grow sub" : "sub"}>
        {orderId ?? <span className="mono">{shortenId(id)}</span>}
      </td>
    </>
  );
}

export const PAYMENT_COLUMNS = [{ name: "Amount" }, { name: "Status" }, { name: "Order" }] as const;

/** Statuses as the filters of these lists name them. */
export const PAYMENT_STATUSES = {
  created: "Awaiting payment",
  pending: "Awaiting payment, submitted",
  processing: "Confirming",
  confirmed: "Confirmed",
  failed: "Failed",
  expired: "Expired",
  refunded: "Refunded",
} as const;
