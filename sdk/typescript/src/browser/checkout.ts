// The shopper's side of a payment on a merchant's own page: lead to the checkout page, follow a payment, or pay it from
// a wallet in the browser.
import type { Provider, Wallet } from "./discover.ts";
import { type Follower, follow } from "./follow.ts";
import { handIn } from "./hand-in.ts";
import { payWith, type Step } from "./pay-with.ts";
import { forgetSent, recallSent, rememberSent } from "./remembered.ts";
import { connectServer, type Look, type PaymentAccess, type Status } from "./server.ts";
import { type Signed, type SigningStep, signWith } from "./sign-with.ts";

/** Leads the shopper to the checkout page, here or in a window of its own. */
export function openCheckout(
  checkoutUrl: string,
  { target = "here" }: { target?: "here" | "window" } = {},
): Window | null {
  const url = new URL(checkoutUrl);
  if (!/^https?:$/.test(url.protocol) || url.hash === "") {
    throw new TypeError("checkoutUrl is not the link of a checkout page");
  }
  if (target === "window") return window.open(url, "_blank");
  location.assign(url);
  return null;
}

/** Reports the payment at once and after each change, until it is stopped. */
export function watchPayment(
  access: PaymentAccess,
  onStatus: (status: Status) => void,
  {
    onTrouble,
  }: { onTrouble?: (trouble: Exclude<Look["kind"], "seen" | "unchanged">) => void } = {},
): Follower {
  return follow(connectServer(access), (look) => {
    if (look.kind === "seen") onStatus(look.status);
    else if (look.kind !== "unchanged") onTrouble?.(look.kind);
  });
}

const PAYABLE: readonly Status["status"][] = ["created", "pending", "failed"];

/** What came of it: the hash is with the server, or why there is none. */
export type Outcome =
  | { kind: "submitted"; hash: string }
  | { kind: "refused"; hash: string; code: string }
  | { kind: "unavailable"; reason: Exclude<Look["kind"], "seen"> }
  | { kind: "not-open"; status: Status["status"]; needs: Status["needs"] }
  | Exclude<Step, { kind: "connecting" | "switching" | "waiting" }>;

/**
 * Asks the wallet for the transfer and hands its hash in. The hash is kept in the browser until the server has it, so
 * that a shopper who comes back is never asked to pay twice: a second call goes on with the hash of the first one, and
 * no one is asked for money while a transaction is being verified.
 */
export async function pay(
  wallet: Wallet | Provider,
  access: PaymentAccess,
  { onStep, signal = new AbortController().signal }: PayFromWallet = {},
): Promise<Outcome> {
  const server = connectServer(access);
  const look = await server.look();
  if (look.kind !== "seen") return { kind: "unavailable", reason: look.kind };
  const { status } = look;
  const before = recallSent(access.id);
  if (before === undefined && !PAYABLE.includes(status.status)) {
    return { kind: "not-open", status: status.status, needs: status.needs };
  }
  const provider = getProvider(wallet);
  const paying = { status, server, onStep: (step: Step) => onStep?.(step) };
  const sent = before ?? (await payWith(provider, paying));
  if (!("hash" in sent)) return sent as Outcome;
  rememberSent(access.id, sent);
  const { refused } = await handIn(server, sent, signal);
  if (signal.aborted) throw signal.reason;
  forgetSent(access.id);
  const { hash } = sent;
  return refused === undefined
    ? { kind: "submitted", hash }
    : { kind: "refused", hash, code: refused };
}

export interface PayFromWallet {
  /** What the wallet is asked for just now. */
  onStep?: (step: Step) => void;
  /** Ends the handing in of the hash; the transfer itself cannot be taken back. */
  signal?: AbortSignal;
}

/**
 * Shows that a transfer is this payment's, where `needs` of its status is `payer_signature`: the wallet that paid signs the
 * payment's id. What became of it shows in the next status.
 */
export function signPayer(
  wallet: Wallet | Provider,
  access: PaymentAccess,
  { onStep = () => {}, signal = new AbortController().signal }: SignByWallet = {},
): Promise<Signed> {
  const server = connectServer(access);
  return signWith(getProvider(wallet), { id: access.id, server, signal, onStep });
}

export interface SignByWallet {
  /** What the wallet is asked for just now. */
  onStep?: (step: SigningStep) => void;
  /** Ends the handing in of the signature. */
  signal?: AbortSignal;
}

function getProvider(wallet: Wallet | Provider): Provider {
  return "provider" in wallet ? wallet.provider : wallet;
}
