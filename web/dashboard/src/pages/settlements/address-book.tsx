// The wallets that settlements may go to.
import { useState } from "react";
import { useApi, useChains, useWrite } from "../../api/queries.ts";
import type { SettlementDestinationItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { AddressField } from "../../parts/address-field.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Id, shortenId } from "../../parts/id.tsx";
import { Network } from "../../parts/network.tsx";
import { Loaded } from "../../parts/states.tsx";
import { formatWhen } from "../../times.ts";
import { BOOK_PATH, isReady } from "./use-address-book.ts";

const PATH = "/v1/settlement-destinations";

function AddDialog({ close }: { close: () => void }) {
  const { mutateAsync } = useWrite();
  const chains = useChains();
  return (
    <ConfirmDialog
      title="Add a wallet"
      action="Add wallet"
      close={close}
      run={(idempotencyKey, form) => {
        const label = String(form.get("label")).trim();
        const body = {
          chainId: Number(form.get("chainId")),
          address: String(form.get("address")).trim(),
          ...(label !== "" && { label }),
        };
        return mutateAsync({ path: PATH, body, idempotencyKey });
      }}
    >
      <p>Settlements may go there after a delay, so that a mistake or a theft is noticed first.</p>
      <label>
        Network
        <select className="field" name="chainId" required>
          {chains.map(({ chainId, name }) => (
            <option key={chainId} value={chainId}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <AddressField label="Address" name="address" />
      <label>
        Name
        <input className="field" name="label" maxLength={100} autoComplete="off" />
        <span className="tip">For your colleagues, e.g. Treasury</span>
      </label>
    </ConfirmDialog>
  );
}

function RemoveDialog({ entry, close }: { entry: SettlementDestinationItem; close: () => void }) {
  const { mutateAsync } = useWrite();
  const name = entry.label ?? shortenId(entry.address);
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action="Remove wallet"
      isDanger
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({ method: "DELETE", path: `${PATH}/${entry.id}`, idempotencyKey })
      }
    >
      <p>Settlements can no longer go there. One that is approved already still can.</p>
    </ConfirmDialog>
  );
}

function Entry({
  entry,
  remove,
}: {
  entry: SettlementDestinationItem;
  remove: (() => void) | undefined;
}) {
  const { chainId, address, label, usableAt } = entry;
  return (
    <li>
      <Icon name="wallet" />
      <div className="two-line">
        <b>{label ?? "Without a name"}</b>
        <small>
          <Network chainId={chainId} /> <Id text={address} label="address" />
        </small>
      </div>
      <span className="end">
        {isReady(entry) ? (
          <span className="status good">
            <Icon name="check" />
            Ready
          </span>
        ) : (
          <span className="status heed">
            <Icon name="clock" />
            Ready {formatWhen(usableAt)}
          </span>
        )}
        {remove && (
          <button
            type="button"
            className="button"
            aria-label={`Remove ${label ?? address}`}
            onClick={remove}
          >
            Remove
          </button>
        )}
      </span>
    </li>
  );
}

export function AddressBook() {
  const [open, setOpen] = useState<"add" | SettlementDestinationItem>();
  const query = useApi<{ data: SettlementDestinationItem[] }>(BOOK_PATH);
  const canChange = hasScope(useWorkspace(), "settlements:approve");
  const close = () => setOpen(undefined);
  return (
    <section className="section">
      <header>
        <h2>Address book</h2>
        {canChange && (
          <button type="button" className="button end" onClick={() => setOpen("add")}>
            Add a wallet
          </button>
        )}
      </header>
      <Loaded query={query} what="the address book">
        {({ body: { data } }) =>
          data.length === 0 ? (
            <p className="quiet gap-2">
              No wallet yet. Settlements go to wallets of this book alone.
            </p>
          ) : (
            <ul className="things">
              {data.map((entry) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  remove={canChange ? () => setOpen(entry) : undefined}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open === "add" && <AddDialog close={close} />}
      {open !== undefined && open !== "add" && <RemoveDialog entry={open} close={close} />}
    </section>
  );
}
