// Payments that people make and send as a link.
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import type { PaymentItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { later } from "../../parts/later.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { PAYMENT_COLUMNS, PaymentCells } from "../../parts/payment-cells.tsx";
import { Time } from "../../parts/time.tsx";
import { getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Filters, VIEWS } from "./filters.ts";

const SHOWN = [
  "chainId",
  "orderId",
  "description",
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "needs",
];
const NEW = "new";

const NewDialog = later(async () => (await import("./new-dialog.tsx")).NewDialog);
const ShareDialog = later(async () => (await import("./share-dialog.tsx")).ShareDialog);

type Search = Filters & { open?: string | undefined };

function ShareLink({ payment: { id, amount } }: { payment: PaymentItem }) {
  return (
    <Link
      className="button"
      to="/links"
      search={(before) => ({ ...before, open: id })}
      aria-label={`Link of ${amount}`}
    >
      <Icon name="link" />
      Link
    </Link>
  );
}

function Row({ payment, canShare }: { payment: PaymentItem; canShare: boolean }) {
  const { description, createdAt } = payment;
  return (
    <tr onClick={openRow}>
      <PaymentCells payment={payment} />
      <td className="grow sub wide">{description ?? ""}</td>
      <td className="wide">
        <Time at={createdAt} />
      </td>
      <td className="when r right">{canShare && <ShareLink payment={payment} />}</td>
    </tr>
  );
}

function NewLink() {
  return (
    <Link className="button primary" to="/links" search={(before) => ({ ...before, open: NEW })}>
      <Icon name="plus" />
      New link
    </Link>
  );
}

function Links({ search: { open, ...filters } }: { search: Search }) {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const canShare = hasScope(workspace, "payments:write");
  function show(next: string | undefined) {
    void navigate({ to: "/links", search: (before) => ({ ...before, open: next }), replace: true });
  }

  return (
    <>
      <ListPage<PaymentItem>
        title="Payment links"
        icon="link"
        noun={["link", "links"]}
        path={buildPath("/v1/payments", { ...filters, source: "dashboard" }, SHOWN)}
        values={filters}
        controls={CONTROLS}
        first={FIRST}
        views={VIEWS}
        columns={[
          ...PAYMENT_COLUMNS,
          { name: "Text", isWide: true },
          { name: `Created, ${getZoneName()}`, isWide: true },
          { name: "Link", isRight: true },
        ]}
        renderRow={(payment) => <Row key={payment.id} payment={payment} canShare={canShare} />}
        actions={canShare && <NewLink />}
        empty={{
          title: workspace.mode === "test" ? "No test links yet" : "No payment links yet",
          text: "A link asks for an amount, by mail, in a chat or as a QR code at the counter.",
          actions: canShare && <NewLink />,
        }}
      />
      {open === NEW && canShare && <NewDialog close={show} />}
      {open !== undefined && open !== NEW && (
        <ShareDialog id={open} close={() => show(undefined)} />
      )}
    </>
  );
}

export const Route = createLazyRoute("/links")({
  component: function LinksPage() {
    return <Links search={Route.useSearch()} />;
  },
});
