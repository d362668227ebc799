import { useState } from "react";
import { useChain, useTokens, useWrite } from "../../api/queries.ts";
import { AddressField } from "../../parts/address-field.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { shortenId } from "../../parts/id.tsx";
import { isReady, useAddressBook } from "./use-address-book.ts";

/** A request of a settlement; another person approves it. */
export function RequestDialog({ close }: { close: () => void }) {
  const { mutateAsync } = useWrite();
  const entries = useAddressBook().filter((entry) => isReady(entry));
  const [chosen, choose] = useState<string>();
  const entry = entries.find(({ id }) => id === chosen) ?? entries[0];
  const chain = useChain(entry?.chainId);
  const tokens = useTokens(true).filter(({ chainId }) => chainId === entry?.chainId);
  if (entry === undefined) {
    return (
      <ConfirmDialog
        title="Request a settlement"
        action="Understood"
        close={close}
        run={async () => undefined}
      >
        <p>
          The address book has no wallet that is ready. Who may approve settlements adds one below.
        </p>
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Request a settlement"
      action="Request settlement"
      close={close}
      run={(idempotencyKey, form) => {
        const amount = String(form.get("amount")).trim();
        const body = {
          chainId: entry.chainId,
          currency: String(form.get("currency")),
          sourceAddress: String(form.get("sourceAddress")).trim(),
          destinationAddress: entry.address,
          ...(amount !== "" && { amount }),
        };
        return mutateAsync({ path: "/v1/settlements", body, idempotencyKey });
      }}
    >
      <label>
        To
        <select className="field" value={entry.id} onChange={({ target }) => choose(target.value)}>
          {entries.map(({ id, label, address }) => (
            <option key={id} value={id}>
              {label === null ? shortenId(address) : `${label}, ${shortenId(address)}`}
            </option>
          ))}
        </select>
        {chain && <span className="tip">On {chain.name}</span>}
      </label>
      <AddressField label="From, your wallet that was paid" name="sourceAddress" />
      <label>
        Token
        <select className="field" name="currency">
          <option value="native">{chain?.symbol ?? "Coin of the network"}</option>
          {tokens.map(({ address, symbol }) => (
            <option key={address} value={address}>
              {symbol}
            </option>
          ))}
        </select>
      </label>
      <label>
        Amount
        <input
          className="field"
          name="amount"
          inputMode="decimal"
          pattern="\s*\d+(\.\d+)?\s*"
          title="A number with a point, e.g. 1.5"
          autoComplete="off"
        />
        <span className="tip">Empty: all that is there and not held by refunds</span>
      </label>
    </ConfirmDialog>
  );
}
