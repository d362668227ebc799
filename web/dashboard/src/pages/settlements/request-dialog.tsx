import { useState } from "react";
import { formatMoved, isZero } from "../../amounts.ts";
import { useChain, useSymbol, useTokens, useWrite } from "../../api/queries.ts";
import type { BalanceItem, SettlementDestinationItem } from "../../api/records.ts";
import { AddressField } from "../../parts/address-field.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { shortenId } from "../../parts/id.tsx";
import { isReady, useAddressBook } from "./use-address-book.ts";
import { useBalances } from "./use-balances.ts";

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.toLowerCase();
}

/** The wallet, the token and how much of it, beginning with money that can be settled. */
function Source({
  entry,
  balances,
}: {
  entry: SettlementDestinationItem;
  balances: readonly BalanceItem[];
}) {
  const chain = useChain(entry.chainId);
  const tokens = useTokens(true).filter(({ chainId }) => chainId === entry.chainId);
  const here = balances.filter(({ chainId }) => chainId === entry.chainId);
  const [first] = here.filter(({ available }) => !isZero(available));
  const [typed, type] = useState<string>();
  const [picked, pick] = useState<string>();
  const wallet = typed ?? first?.walletAddress ?? "";
  const currency = picked ?? first?.currency ?? "native";
  const symbol = useSymbol(entry.chainId, currency);
  const available = here.find(
    (one) => isSame(wallet, one.walletAddress) && one.currency === currency,
  )?.available;
  return (
    <>
      <AddressField
        label="From, your wallet that was paid"
        name="sourceAddress"
        known={[...new Set(here.map(({ walletAddress }) => walletAddress))]}
        value={wallet}
        change={type}
      />
      <label>
        Token
        <select
          className="field"
          name="currency"
          value={currency}
          onChange={({ target }) => pick(target.value)}
        >
          <option value="native">{chain?.symbol ?? "Coin of the network"}</option>
          {tokens.map(({ address, symbol: name }) => (
            <option key={address} value={address}>
              {name}
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
        <span className="tip">
          Empty: all that can be settled
          {available !== undefined && `, ${formatMoved(available)} ${symbol ?? ""}`}
        </span>
      </label>
    </>
  );
}

/** A request of a settlement; another person approves it. */
export function RequestDialog({ close }: { close: () => void }) {
  const { mutateAsync } = useWrite();
  const entries = useAddressBook().filter((entry) => isReady(entry));
  const [chosen, choose] = useState<string>();
  const entry = entries.find(({ id }) => id === chosen) ?? entries[0];
  const chain = useChain(entry?.chainId);
  const balances = useBalances().data?.body.data;
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
      <Source key={entry.id} entry={entry} balances={balances ?? []} />
    </ConfirmDialog>
  );
}
