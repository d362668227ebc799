// Which wallet signs, and what it is set to.
import type { Wallet } from "@pay/sdk/browser";
import { Icon } from "../icon.tsx";
import { shortenId } from "../id.tsx";
import type { Setting } from "./wallet.ts";

function describeSetting(name: string, setting: Setting | undefined, from: string) {
  switch (setting) {
    case "ready":
      return { tone: "good", text: `${name} is connected with the right wallet and network.` };
    case "other-account":
      return {
        tone: "heed",
        text: `${name} is on another account. Choose ${shortenId(from)} in the wallet.`,
      };
    case "other-network":
      return { tone: "heed", text: `${name} is on another network and asks you to switch first.` };
    case "unconnected":
      return { tone: "still", text: `${name} asks first whether this page may see its account.` };
    default:
      return undefined;
  }
}

export function WalletChoice({
  wallets,
  chosen,
  choose,
}: {
  wallets: readonly Wallet[];
  chosen: Wallet | undefined;
  choose: (wallet: Wallet | undefined) => void;
}) {
  if (wallets.length < 2) return null;
  return (
    <label className="wallet-choice">
      Wallet
      <select
        className="field"
        value={chosen?.uuid}
        onChange={({ target }) => choose(wallets.find(({ uuid }) => uuid === target.value))}
      >
        {wallets.map(({ uuid, name }) => (
          <option key={uuid} value={uuid}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function WalletNote({
  wallet,
  setting,
  from,
}: {
  wallet: Wallet | undefined;
  setting: Setting | undefined;
  from: string;
}) {
  const described =
    wallet === undefined
      ? { tone: "still", text: "This browser has no wallet. Sign elsewhere, then submit the hash." }
      : describeSetting(wallet.name || "The wallet", setting, from);
  if (described === undefined) return null;
  return (
    <p className={`note ${described.tone}`} role="status">
      <Icon name="wallet" />
      <span>{described.text}</span>
    </p>
  );
}
