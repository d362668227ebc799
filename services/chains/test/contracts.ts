// Contracts that do odd things on purpose, as creation code; `npm run contracts` compiles their sources.
import oddToken from "./contracts/OddToken.json" with { type: "json" };
import oracle from "./contracts/Oracle.json" with { type: "json" };
import regretter from "./contracts/Regretter.json" with { type: "json" };
import scribe from "./contracts/Scribe.json" with { type: "json" };
import wallet from "./contracts/Wallet.json" with { type: "json" };
import will from "./contracts/Will.json" with { type: "json" };

function word(value: bigint | string): string {
  return (typeof value === "bigint" ? value.toString(16) : value.toLowerCase().slice(2)).padStart(
    64,
    "0",
  );
}

/** Logs what its caller orders; as a token it has six decimals. */
export const SCRIBE = scribe.bytecode;

/** What to tell the scribe. Topics and data are hex; topics are filled up to words. */
export function logging(topics: readonly (string | bigint)[], data: string): string {
  return `0x${topics.length.toString(16).padStart(2, "0")}${topics.map(word).join("")}${data.replace("0x", "")}`;
}

export function amountData(value: bigint): string {
  return `0x${word(value)}`;
}

/** Names the wallets that it is told of, in the form of a sanctions oracle. */
export const ORACLE = oracle.bytecode;

/** A wallet: makes the calls that its caller orders, and goes on when one of them fails. */
export const WALLET = wallet.bytecode;

/** What to tell the wallet. */
export function calls(list: readonly { to: string; value?: bigint; data?: string }[]): string {
  return `0x${list
    .map(({ to, value = 0n, data = "0x" }) => {
      const bytes = data.slice(2);
      return word(to) + word(value) + word(BigInt(bytes.length / 2)) + bytes;
    })
    .join("")}`;
}

/** Passes on what it gets to the address it is given, then undoes it all. */
export const REGRETTER = regretter.bytecode;

/** Keeps what it gets until its caller names an address; then it ends and leaves everything there. */
export const WILL = will.bytecode;

export function addressData(address: string): string {
  return `0x${word(address)}`;
}

/** keccak256 of make(address,uint256) and order(address,bytes), their first four bytes. */
const MAKE = "aa7cc20b";
const ORDER = "e38fcb96";
const BEHAVIOURS = ["usual", "silent", "refusing", "calling"] as const;

/** A token that behaves so; anyone may make some of it. */
export function oddTokenCode(behaviour: (typeof BEHAVIOURS)[number]): string {
  return oddToken.bytecode + word(BigInt(BEHAVIOURS.indexOf(behaviour)));
}

/** Tells an odd token to make some of it for a holder. */
export function makeData(holder: string, value: bigint): string {
  return `0x${MAKE}${word(holder)}${word(value)}`;
}

/** Tells an odd token what to call in each transfer. */
export function orderData(target: string, data: string): string {
  const bytes = data.slice(2);
  return `0x${ORDER}${word(target)}${word(64n)}${word(BigInt(bytes.length / 2))}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0")}`;
}
