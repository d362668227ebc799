import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useWrite } from "../../api/queries.ts";
import type { Settlement } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Actor } from "../../parts/actor.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Fact, Hash } from "../../parts/fact.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { Network } from "../../parts/network.tsx";
import { PathLine } from "../../parts/path-line.tsx";
import { OneRecord, RecordHead } from "../../parts/record-page.tsx";
import { SignDialog } from "../../parts/signing/signing.tsx";
import { Time } from "../../parts/time.tsx";
import { describeSettlement } from "../../status-words.ts";
import { toSign } from "./to-sign.tsx";

const LIVE_MS = 5_000;

const FAILED: Readonly<Record<string, string>> = {
  rejected: "It was rejected. Nothing was sent.",
  timeout: "Nobody signed it in time. Nothing was sent.",
  reverted: "The transaction failed on the network and moved nothing.",
};

/** What it waits for or how it ended, in one sentence. */
function describeWhy(settlement: Settlement): string {
  const { status, heldReason, txHash, transaction, failureReason } = settlement;
  if (status === "completed") return "The money arrived, and the network has it for good.";
  if (status === "failed") return FAILED[failureReason ?? ""] ?? "It failed. Request another.";
  if (status === "requested") return "Another person than the one who requested it approves it.";
  if (heldReason) return "Its transaction does not count. Submit the one that moved the money.";
  if (txHash !== null) return "Its transaction is being verified.";
  if (!transaction) return "The service signs and sends it itself.";
  return `The wallet ${shortenId(transaction.from)} has to sign it.`;
}

type Open = "sign" | "approve" | "reject";

function Dialogs({
  settlement,
  open,
  close,
}: {
  settlement: Settlement;
  open: Open;
  close: () => void;
}) {
  const { mutateAsync } = useWrite();
  if (open === "sign") {
    const record = toSign(settlement);
    return record && <SignDialog verb="Settle" records={[record]} close={close} />;
  }
  const isApproval = open === "approve";
  return (
    <ConfirmDialog
      title={isApproval ? "Approve this settlement?" : "Reject this settlement?"}
      action={isApproval ? "Approve" : "Reject"}
      isDanger={!isApproval}
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({ path: `/v1/settlements/${settlement.id}/${open}`, idempotencyKey })
      }
    >
      {isApproval ? (
        <p>
          Its wallet may then send the money to{" "}
          <span className="mono">{settlement.destinationAddress}</span>. Your passkey confirms it.
        </p>
      ) : (
        <p>Nothing is sent. The amount can be settled or refunded again.</p>
      )}
    </ConfirmDialog>
  );
}

function Actions({ settlement, start }: { settlement: Settlement; start: (open: Open) => void }) {
  const workspace = useWorkspace();
  const { status, requestedBy } = settlement;
  if (status === "requested") {
    if (!hasScope(workspace, "settlements:approve")) return null;
    const isOwn = requestedBy === workspace.session.member.id;
    return (
      <div className="now">
        {!isOwn && (
          <button type="button" className="button primary" onClick={() => start("approve")}>
            <Icon name="check" />
            Approve
          </button>
        )}
        <button type="button" className="button" onClick={() => start("reject")}>
          Reject
        </button>
      </div>
    );
  }
  if (toSign(settlement) === undefined || !hasScope(workspace, "settlements:write")) return null;
  return (
    <div className="now">
      <button type="button" className="button primary" onClick={() => start("sign")}>
        <Icon name="pen" />
        Sign
      </button>
    </div>
  );
}

function Facts({ settlement }: { settlement: Settlement }) {
  const { chainId, txHash, requestedBy, approvedBy, createdAt, approvedAt, completedAt } =
    settlement;
  return (
    <aside className="aside" aria-label="About this settlement">
      <section>
        <h2>Details</h2>
        <dl className="facts">
          <Fact name="Requested by">
            <span>
              <Actor id={requestedBy} />
            </span>
          </Fact>
          {approvedBy && (
            <Fact name="Approved by">
              <span>
                <Actor id={approvedBy} />
              </span>
            </Fact>
          )}
          <Fact name="Network">
            <Network chainId={chainId} />
          </Fact>
          {txHash && (
            <Fact name="Transaction">
              <Hash chainId={chainId} text={txHash} />
            </Fact>
          )}
          <Fact name="Created">
            <Time at={createdAt} />
          </Fact>
          {approvedAt && (
            <Fact name="Approved">
              <Time at={approvedAt} />
            </Fact>
          )}
          {completedAt && (
            <Fact name="Settled">
              <Time at={completedAt} />
            </Fact>
          )}
        </dl>
      </section>
    </aside>
  );
}

function Content({ settlement }: { settlement: Settlement }) {
  const [open, setOpen] = useState<Open>();
  const { id, sourceAddress, destinationAddress } = settlement;
  return (
    <>
      <RecordHead
        list="/settlements"
        name="Settlements"
        noun="Settlement"
        record={settlement}
        words={describeSettlement(settlement)}
        path={`/v1/settlements/${id}`}
      />
      <div className="pay-grid">
        <section className="card meter" aria-label="Way of the money">
          <PathLine
            from={sourceAddress}
            to={destinationAddress}
            toLabel="To, of the address book"
          />
          <div className="why">
            <p>{describeWhy(settlement)}</p>
            <Actions settlement={settlement} start={setOpen} />
          </div>
        </section>
        <Facts settlement={settlement} />
      </div>
      {open && <Dialogs settlement={settlement} open={open} close={() => setOpen(undefined)} />}
    </>
  );
}

function SettlementPage({ id }: { id: string }) {
  const path = `/v1/settlements/${encodeURIComponent(id)}?expand=heldReason,transaction`;
  const query = useApi<Settlement>(path, { refetchMs: LIVE_MS });
  return (
    <OneRecord query={query} noun="settlement" list="/settlements">
      {(body) => <Content settlement={body} />}
    </OneRecord>
  );
}

export const Route = createLazyRoute("/settlements/$id")({
  component: function OneSettlementPage() {
    return <SettlementPage id={Route.useParams().id} />;
  },
});
