import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useWrite } from "../../api/queries.ts";
import type { Refund } from "../../api/records.ts";
import { mayChangeRefund, useWorkspace } from "../../api/session.ts";
import { Actor } from "../../parts/actor.tsx";
import { AddressField } from "../../parts/address-field.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Fact, Hash } from "../../parts/fact.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { Network } from "../../parts/network.tsx";
import { PathLine } from "../../parts/path-line.tsx";
import { OneRecord, RecordHead } from "../../parts/record-page.tsx";
import { SignDialog } from "../../parts/signing/signing.tsx";
import { Time } from "../../parts/time.tsx";
import { describeRefund } from "../../status-words.ts";
import { describeDestination, SIGNED_FIELDS, toSign } from "./to-sign.tsx";

const SHOWN = [
  ...SIGNED_FIELDS,
  "chainId",
  "sourceAddress",
  "needs",
  "heldReason",
  "failureReason",
  "surplus",
  "completedAt",
];
const LIVE_MS = 5_000;

const HELD: Readonly<Record<string, string>> = {
  payment_reorged:
    "The money of the payment left the chain again. The refund waits until it is back.",
  predates_payment:
    "The submitted transaction is older than the payment. Submit the one that paid.",
  transfer_already_used: "The submitted transaction counts for something else. Submit another.",
};

const FAILED: Readonly<Record<string, string>> = {
  cancelled: "It was cancelled. Nothing was sent.",
  timeout: "Nobody signed it in time. Nothing was sent.",
  reverted: "The transaction failed on the network and moved nothing.",
};

/** What it waits for or how it ended, in one sentence. */
function describeWhy(refund: Refund): string {
  const { status, needs, heldReason, submittedTxHash, transaction, failureReason } = refund;
  if (status === "completed") return "The money went back, and the network has it for good.";
  if (status === "failed") return FAILED[failureReason ?? ""] ?? "It failed. Make a new refund.";
  if (needs === "destination") {
    return "Nobody knows a wallet that it may go to. Ask your customer for one.";
  }
  if (heldReason) return HELD[heldReason] ?? "A person has to look at its transaction.";
  if (submittedTxHash) return "Its transaction is being verified.";
  if (!transaction) return "The service signs and sends it itself.";
  return `The wallet ${shortenId(transaction.from)} has to sign it.`;
}

type Open = "sign" | "destination" | "cancel";

function Dialogs({ refund, open, close }: { refund: Refund; open: Open; close: () => void }) {
  const { mutateAsync } = useWrite();
  const path = `/v1/refunds/${refund.id}`;
  const record = toSign(refund);
  if (open === "sign") {
    return record && <SignDialog verb="Return" records={[record]} close={close} />;
  }
  if (open === "cancel") {
    return (
      <ConfirmDialog
        title="Cancel this refund?"
        action="Cancel refund"
        isDanger
        close={close}
        run={(idempotencyKey) => mutateAsync({ path: `${path}/cancel`, idempotencyKey })}
      >
        <p>Nothing is sent. The amount can be refunded again.</p>
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Where does it go?"
      action="Set wallet"
      close={close}
      run={(idempotencyKey, form) => {
        const destinationAddress = String(form.get("destinationAddress")).trim();
        return mutateAsync({
          path: `${path}/destination`,
          body: { destinationAddress },
          idempotencyKey,
        });
      }}
    >
      <AddressField
        label="Wallet that receives it"
        name="destinationAddress"
        tip="It cannot be changed afterwards"
      />
    </ConfirmDialog>
  );
}

function Actions({ refund, signAt }: { refund: Refund; signAt: (open: Open) => void }) {
  const workspace = useWorkspace();
  const { status, needs, submittedTxHash } = refund;
  if (status !== "created") return null;
  if (!mayChangeRefund(workspace, refund)) {
    return (
      <p className="small faint">
        More can be done with refunds:write, which your role does not have.
      </p>
    );
  }
  const canSign = toSign(refund) !== undefined;
  const isUnsent = !submittedTxHash;
  return (
    <div className="now">
      {canSign && (
        <button type="button" className="button primary" onClick={() => signAt("sign")}>
          <Icon name="pen" />
          Sign
        </button>
      )}
      {needs === "destination" && (
        <button type="button" className="button primary" onClick={() => signAt("destination")}>
          Set the wallet
        </button>
      )}
      {isUnsent && (
        <button type="button" className="button" onClick={() => signAt("cancel")}>
          Cancel refund
        </button>
      )}
    </div>
  );
}

function Facts({ refund }: { refund: Refund }) {
  const { paymentId, chainId, requestedBy, reason, createdAt, completedAt, surplus } = refund;
  const hash = refund.txHash ?? refund.submittedTxHash;
  return (
    <aside className="aside" aria-label="About this refund">
      <section>
        <h2>Details</h2>
        <dl className="facts">
          <Fact name="Payment">
            <Link to="/payments/$id" params={{ id: paymentId }} className="mono">
              {shortenId(paymentId)}
            </Link>
          </Fact>
          {reason && <Fact name="Reason">{reason}</Fact>}
          <Fact name="Asked for by">
            <span>
              <Actor id={requestedBy} />
            </span>
          </Fact>
          {chainId !== undefined && (
            <Fact name="Network">
              <Network chainId={chainId} />
            </Fact>
          )}
          {hash && chainId !== undefined && (
            <Fact name="Transaction">
              <Hash chainId={chainId} text={hash} />
            </Fact>
          )}
          {surplus && <Fact name="Gives back">What was received beyond the amount</Fact>}
          <Fact name="Created">
            <Time at={createdAt} />
          </Fact>
          {completedAt && (
            <Fact name="Returned">
              <Time at={completedAt} />
            </Fact>
          )}
        </dl>
      </section>
    </aside>
  );
}

function Content({ refund }: { refund: Refund }) {
  const [open, setOpen] = useState<Open>();
  const { id, sourceAddress, destinationAddress, destinationSource } = refund;
  return (
    <>
      <RecordHead
        list="/refunds"
        name="Refunds"
        noun="Refund"
        record={refund}
        words={describeRefund(refund)}
        path={`/v1/refunds/${id}`}
      />
      <div className="pay-grid">
        <section className="card meter" aria-label="Way of the money">
          {sourceAddress && (
            <PathLine
              from={sourceAddress}
              to={destinationAddress ?? null}
              toLabel={describeDestination(destinationSource)}
            />
          )}
          <div className="why">
            <p>{describeWhy(refund)}</p>
            <Actions refund={refund} signAt={setOpen} />
          </div>
        </section>
        <Facts refund={refund} />
      </div>
      {open && <Dialogs refund={refund} open={open} close={() => setOpen(undefined)} />}
    </>
  );
}

function RefundPage({ id }: { id: string }) {
  const path = `/v1/refunds/${encodeURIComponent(id)}?expand=${SHOWN.join(",")}`;
  const query = useApi<Refund>(path, { refetchMs: LIVE_MS });
  return (
    <OneRecord query={query} noun="refund" list="/refunds">
      {(body) => <Content refund={body} />}
    </OneRecord>
  );
}

export const Route = createLazyRoute("/refunds/$id")({
  component: function RefundRoutePage() {
    return <RefundPage id={Route.useParams().id} />;
  },
});
