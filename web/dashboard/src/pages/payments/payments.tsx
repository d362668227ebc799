import { createLazyRoute, Link } from "@tanstack/react-router";
import type { PaymentItem } from "../../api/records.ts";
import { useWorkspace } from "../../api/session.ts";
import { shortenId } from "../../parts/id.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { PAYMENT_COLUMNS, PaymentCells } from "../../parts/payment-cells.tsx";
import { Time } from "../../parts/time.tsx";
import { getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Filters, isOfLastDays, SHOWN, VIEWS } from "./filters.ts";

function Payer({ payment: { customer, payerAddress } }: { payment: PaymentItem }) {
  if (customer?.displayName) return <>{customer.displayName}</>;
  if (!payerAddress) return <span className="faint">–</span>;
  return (
    <span className="mono" title={payerAddress}>
      {shortenId(payerAddress)}
    </span>
  );
}

function Row({ payment }: { payment: PaymentItem }) {
  const { chainId, createdAt } = payment;
  return (
    <tr onClick={openRow}>
      <PaymentCells payment={payment} />
      <td className="grow sub wide">
        <Payer payment={payment} />
      </td>
      <td className="wide">{chainId !== undefined && <Network chainId={chainId} />}</td>
      <td className="when r right">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function Start() {
  const { mode } = useWorkspace();
  return (
    <>
      {mode === "live" && (
        <Link className="button" to="/payments" search={{ mode: "test" }}>
          Show test payments
        </Link>
      )}
      <a className="button" href="/docs">
        Connect your shop
      </a>
    </>
  );
}

const NO_MATCH =
  "These filters look at 30 days. Choose a beginning under Created to look further back.";

function Payments({ filters }: { filters: Filters }) {
  const { mode } = useWorkspace();
  const isRecent = isOfLastDays(filters);
  return (
    <ListPage<PaymentItem>
      title="Payments"
      icon="payments"
      noun={["payment", "payments"]}
      path={buildPath("/v1/payments", filters, SHOWN)}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      views={VIEWS}
      columns={[
        ...PAYMENT_COLUMNS,
        { name: "Payer", isWide: true },
        { name: "Network", isWide: true },
        { name: `Created, ${getZoneName()}`, isRight: true },
      ]}
      renderRow={(payment) => <Row key={payment.id} payment={payment} />}
      reach={isRecent ? ` in ${filters.createdTo ? "30 days" : "the last 30 days"}` : undefined}
      noMatch={isRecent ? NO_MATCH : undefined}
      empty={{
        title: mode === "test" ? "No test payments yet" : "No payments yet",
        text: "They appear here the moment your shop creates them.",
        actions: <Start />,
      }}
    />
  );
}

export const Route = createLazyRoute("/payments")({
  component: function PaymentsPage() {
    return <Payments filters={Route.useSearch()} />;
  },
});
