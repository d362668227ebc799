import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/queries.ts";
import type { Settlement } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Money } from "../../parts/currency-symbol.tsx";
import { shortenId } from "../../parts/id.tsx";
import { later } from "../../parts/later.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { SignAll } from "../../parts/signing/sign-all.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeSettlement } from "../../status-words.ts";
import { getZoneName } from "../../times.ts";
import { toSign } from "../settlement/to-sign.tsx";
import { buildViews, CONTROLS, FIRST, type Filters, TO_APPROVE, TO_SIGN } from "./filters.ts";
import { useAddressBook } from "./use-address-book.ts";

const PATH = "/v1/settlements";

const AddressBook = later(async () => (await import("./address-book.tsx")).AddressBook);
const Balances = later(async () => (await import("./balances.tsx")).Balances);
const RequestDialog = later(async () => (await import("./request-dialog.tsx")).RequestDialog);
const SHOWN = ["heldReason", "transaction"];

interface SettlementList {
  data: Settlement[];
  total: number;
}

function Row({ settlement }: { settlement: Settlement }) {
  const { id, amount, chainId, currency, destinationAddress, createdAt } = settlement;
  const label = useAddressBook().find(
    (entry) => entry.chainId === chainId && isSame(entry.address, destinationAddress),
  )?.label;
  return (
    <tr onClick={openRow}>
      <td className="amount">
        <Link to="/settlements/$id" params={{ id }} className="plainlink">
          <Money amount={amount} chainId={chainId} currency={currency} />
        </Link>
      </td>
      <td className="r">
        <Status words={describeSettlement(settlement)} />
      </td>
      <td className="grow sub">
        {label ?? <span className="mono">{shortenId(destinationAddress)}</span>}
      </td>
      <td className="wide">
        <Network chainId={chainId} />
      </td>
      <td className="when r right">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function Actions({ waiting }: { waiting: readonly Settlement[] }) {
  const [isRequesting, setRequesting] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setRequesting(true)}>
        Request settlement
      </button>
      <SignAll verb="Settle" records={waiting.flatMap((one) => toSign(one) ?? [])} />
      {isRequesting && <RequestDialog close={() => setRequesting(false)} />}
    </>
  );
}

function Settlements({ filters }: { filters: Filters }) {
  const workspace = useWorkspace();
  const isWanted = hasScope(workspace, "settlements:read");
  const waiting = useApi<SettlementList>(buildPath(PATH, TO_SIGN, SHOWN), { isWanted }).data?.body;
  const requested = useApi<SettlementList>(buildPath(PATH, TO_APPROVE), { isWanted }).data?.body;
  return (
    <>
      <ListPage<Settlement>
        title="Settlements"
        icon="send"
        noun={["settlement", "settlements"]}
        path={buildPath(PATH, filters, SHOWN)}
        values={filters}
        controls={CONTROLS}
        first={FIRST}
        views={buildViews({ toApprove: requested?.total, toSign: waiting?.total })}
        columns={[
          { name: "Amount" },
          { name: "Status" },
          { name: "To" },
          { name: "Network", isWide: true },
          { name: `Created, ${getZoneName()}`, isRight: true },
        ]}
        renderRow={(settlement) => <Row key={settlement.id} settlement={settlement} />}
        actions={
          hasScope(workspace, "settlements:write") && <Actions waiting={waiting?.data ?? []} />
        }
        empty={{
          title: workspace.mode === "test" ? "No test settlements yet" : "No settlements yet",
          text: "A settlement moves collected money to a wallet of the address book. Two people are needed.",
        }}
      />
      {isWanted && <Balances />}
      {isWanted && <AddressBook />}
    </>
  );
}

export const Route = createLazyRoute("/settlements")({
  component: function SettlementsPage() {
    return <Settlements filters={Route.useSearch()} />;
  },
});
