import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { TransferItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Money } from "../../parts/currency-symbol.tsx";
import { Hash } from "../../parts/fact.tsx";
import { Id } from "../../parts/id.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { Network } from "../../parts/network.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { getZoneName } from "../../times.ts";
import { AssignDialog } from "./assign-dialog.tsx";
import { CONTROLS, FIRST, type Filters, VIEWS } from "./filters.ts";
import { describeTransfer, isAssignable } from "./words.ts";

/** The record that it pays, else what can be done about it. */
function Purpose({ transfer, assign }: { transfer: TransferItem; assign: () => void }) {
  const { paymentId, refundId, settlementId } = transfer;
  const canAssign = hasScope(useWorkspace(), "payments:write");
  if (paymentId !== null) {
    return (
      <Link to="/payments/$id" params={{ id: paymentId }}>
        Payment
      </Link>
    );
  }
  if (refundId !== null) {
    return (
      <Link to="/refunds/$id" params={{ id: refundId }}>
        Refund
      </Link>
    );
  }
  if (settlementId !== null) {
    return (
      <Link to="/settlements/$id" params={{ id: settlementId }}>
        Settlement
      </Link>
    );
  }
  if (!canAssign || !isAssignable(transfer)) return null;
  return (
    <button type="button" className="button" onClick={assign}>
      Assign
    </button>
  );
}

function Row({ transfer, assign }: { transfer: TransferItem; assign: () => void }) {
  const { amount, chainId, currency, from, txHash, minedAt } = transfer;
  return (
    <tr>
      <td className="amount">
        <Money amount={amount} chainId={chainId} currency={currency} />
      </td>
      <td className="r">
        <Status words={describeTransfer(transfer)} />
      </td>
      <td className="sub">
        <Id text={from} label="sender" />
      </td>
      <td className="wide">
        <Hash chainId={chainId} text={txHash} />
      </td>
      <td className="wide grow">
        <Network chainId={chainId} />
      </td>
      <td className="when r right">
        <Time at={minedAt} />
      </td>
      <td className="right for">
        <Purpose transfer={transfer} assign={assign} />
      </td>
    </tr>
  );
}

function Transfers({ filters }: { filters: Filters }) {
  const { mode } = useWorkspace();
  const [open, setOpen] = useState<TransferItem>();
  return (
    <ListPage<TransferItem>
      title="Transfers"
      icon="arrived"
      noun={["transfer", "transfers"]}
      path={buildPath("/v1/transfers", filters)}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      views={VIEWS}
      columns={[
        { name: "Amount" },
        { name: "Pays" },
        { name: "Sender" },
        { name: "Transaction", isWide: true },
        { name: "Network", isWide: true },
        { name: `Mined, ${getZoneName()}`, isRight: true },
        { name: "For", isRight: true },
      ]}
      renderRow={(transfer) => (
        <Row key={transfer.id} transfer={transfer} assign={() => setOpen(transfer)} />
      )}
      empty={{
        title: mode === "test" ? "No test transfers yet" : "No transfers yet",
        text: "Money that reaches the wallets of your payments is listed here, also what pays nothing.",
      }}
    >
      {open && <AssignDialog transfer={open} close={() => setOpen(undefined)} />}
    </ListPage>
  );
}

export const Route = createLazyRoute("/transfers")({
  component: function TransfersPage() {
    return <Transfers filters={Route.useSearch()} />;
  },
});
