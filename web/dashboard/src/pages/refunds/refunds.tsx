import { createLazyRoute, Link } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import type { RefundItem } from "../../api/records.ts";
import { hasScope, mayChangeRefund, useWorkspace } from "../../api/session.ts";
import { Actor } from "../../parts/actor.tsx";
import { Money } from "../../parts/currency-symbol.tsx";
import { shortenId } from "../../parts/id.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { SignAll } from "../../parts/signing/sign-all.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeRefund } from "../../status-words.ts";
import { getZoneName } from "../../times.ts";
import { SIGNED_FIELDS, toSign } from "../refund/to-sign.tsx";
import { buildViews, CONTROLS, FIRST, type Filters, TO_SIGN } from "./filters.ts";

const SHOWN = [
  "paymentId",
  "createdAt",
  "reason",
  "chainId",
  "currency",
  "requestedBy",
  "needs",
  "heldReason",
  "failureReason",
  "submittedTxHash",
  "transaction",
];

function Row({ refund }: { refund: RefundItem }) {
  const { id, amount, chainId, currency, paymentId = "", reason, createdAt } = refund;
  return (
    <tr onClick={openRow}>
      <td className="amount">
        <Link to="/refunds/$id" params={{ id }} className="plainlink">
          <Money amount={amount} chainId={chainId} currency={currency} />
        </Link>
      </td>
      <td className="r">
        <Status words={describeRefund(refund)} />
      </td>
      <td className="grow sub">
        {reason || <span className="faint">For {shortenId(paymentId)}</span>}
      </td>
      <td className="wide sub">
        <Actor id={refund.requestedBy} />
      </td>
      <td className="wide">{chainId !== undefined && <Network chainId={chainId} />}</td>
      <td className="when r right">{createdAt && <Time at={createdAt} />}</td>
    </tr>
  );
}

function Refunds({ filters }: { filters: Filters }) {
  const workspace = useWorkspace();
  const waiting = useApi<{ data: RefundItem[]; total: number }>(
    buildPath("/v1/refunds", TO_SIGN, ["paymentId", "createdAt", ...SIGNED_FIELDS]),
    { isWanted: hasScope(workspace, "refunds:read") },
  ).data?.body;
  const own = waiting?.data.filter((refund) => mayChangeRefund(workspace, refund)) ?? [];
  return (
    <ListPage<RefundItem>
      title="Refunds"
      icon="back"
      noun={["refund", "refunds"]}
      path={buildPath("/v1/refunds", filters, SHOWN)}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      views={buildViews(waiting?.total)}
      columns={[
        { name: "Amount" },
        { name: "Status" },
        { name: "Reason" },
        { name: "Asked by", isWide: true },
        { name: "Network", isWide: true },
        { name: `Created, ${getZoneName()}`, isRight: true },
      ]}
      renderRow={(refund) => <Row key={refund.id} refund={refund} />}
      actions={<SignAll verb="Return" records={own.flatMap((one) => toSign(one) ?? [])} />}
      empty={{
        title: workspace.mode === "test" ? "No test refunds yet" : "No refunds yet",
        text: "Return money from the page of a payment; the refund then waits here for its signature.",
        actions: (
          <Link className="button" to="/payments">
            To the payments
          </Link>
        ),
      }}
    />
  );
}

export const Route = createLazyRoute("/refunds")({
  component: function RefundsPage() {
    return <Refunds filters={Route.useSearch()} />;
  },
});
