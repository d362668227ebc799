import { createLazyRoute, Link } from "@tanstack/react-router";
import type { CustomerItem } from "../../api/records.ts";
import { useWorkspace } from "../../api/session.ts";
import { shortenId } from "../../parts/id.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Time } from "../../parts/time.tsx";
import { getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Filters } from "./filters.ts";

function Row({ customer }: { customer: CustomerItem }) {
  const { id, displayName, walletAddress, createdAt } = customer;
  return (
    <tr onClick={openRow}>
      <td className="grow">
        <Link to="/customers/$id" params={{ id }} className="plainlink">
          {displayName ?? <span className="faint">Without a name</span>}
        </Link>
      </td>
      <td className="sub">
        <span className="mono" title={walletAddress}>
          {shortenId(walletAddress)}
        </span>
      </td>
      <td className="when r right">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function Customers({ filters }: { filters: Filters }) {
  const { mode } = useWorkspace();
  return (
    <ListPage<CustomerItem>
      title="Customers"
      icon="people"
      noun={["customer", "customers"]}
      path={buildPath("/v1/customers", filters)}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      columns={[
        { name: "Name" },
        { name: "Wallet" },
        { name: `Created, ${getZoneName()}`, isRight: true },
      ]}
      renderRow={(customer) => <Row key={customer.id} customer={customer} />}
      empty={{
        title: mode === "test" ? "No test customers yet" : "No customers yet",
        text: "Your shop creates a customer, and names it in payments to keep them together.",
      }}
    />
  );
}

export const Route = createLazyRoute("/customers")({
  component: function CustomersPage() {
    return <Customers filters={Route.useSearch()} />;
  },
});
