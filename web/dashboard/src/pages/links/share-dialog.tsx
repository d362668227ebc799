// A payment's address for the person who pays: to copy, to scan, or in a message.

import { Link } from "@tanstack/react-router";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { formatMoved } from "../../amounts.ts";
import { useApi, useSymbol } from "../../api/queries.ts";
import type { Payment } from "../../api/records.ts";
import { Icon } from "../../parts/icon.tsx";
import { useCopy } from "../../parts/id.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { Loaded } from "../../parts/states.tsx";
import { formatWhen } from "../../times.ts";

const SHOWN = ["checkoutUrl", "chainId", "orderId", "expiresAt"];

function CopyText({ label, text }: { label: string; text: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" className="button" onClick={copy}>
      <Icon name={isCopied ? "check" : "copy"} />
      {isCopied ? "Copied" : label}
    </button>
  );
}

function writeMessage({ amount, orderId, checkoutUrl }: Payment, symbol: string): string {
  const order = orderId ? ` for order ${orderId}` : "";
  return `Pay ${formatMoved(amount)} ${symbol}${order}: ${checkoutUrl}`;
}

function Share({ payment }: { payment: Payment }) {
  const { checkoutUrl, chainId, currency, expiresAt } = payment;
  const symbol = useSymbol(chainId, currency ?? "native") ?? "";
  if (!checkoutUrl) {
    return <p>This payment has no link: it was created without a page of its own.</p>;
  }
  const message = writeMessage(payment, symbol);
  return (
    <div className="share">
      <QrCode text={checkoutUrl} label="QR code of the link" />
      <div className="form">
        <label>
          Link
          <input className="field mono" readOnly value={checkoutUrl} />
        </label>
        <div className="do">
          <CopyText label="Copy link" text={checkoutUrl} />
          <a className="button" href={checkoutUrl} target="_blank" rel="noreferrer">
            <Icon name="open" />
            Open
          </a>
        </div>
        <label>
          Message
          <textarea className="field" readOnly rows={4} value={message} />
        </label>
        <div className="do">
          <CopyText label="Copy message" text={message} />
        </div>
        {expiresAt && <p className="quiet">It can be paid until {formatWhen(expiresAt)}.</p>}
      </div>
    </div>
  );
}

export function ShareDialog({ id, close }: { id: string; close: () => void }) {
  const query = useApi<Payment>(`/v1/payments/${id}?expand=${SHOWN}`);
  return (
    <ModalOverlay className="scrim" isOpen isDismissable onOpenChange={close}>
      <Modal className="dialog">
        <Dialog>
          <header>
            <Heading slot="title">Payment link</Heading>
            <Button className="copy" aria-label="Close" onPress={close}>
              <Icon name="cross" />
            </Button>
          </header>
          <div className="body">
            <Loaded query={query} what="the link">
              {({ body }) => <Share payment={body} />}
            </Loaded>
          </div>
          <footer>
            <Link className="button" to="/payments/$id" params={{ id }}>
              To the payment
            </Link>
            <Button className="button primary" onPress={close}>
              Done
            </Button>
          </footer>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
