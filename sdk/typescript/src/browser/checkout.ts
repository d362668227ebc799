// The customer's side of a payment on a merchant's page: open the checkout page, follow a payment, or pay it from a
// wallet in the browser.
import type { Provider, Wallet } from "./find-wallets.ts";
import { type Follower, follow } from "./follow.ts";
import { readPendingHash, removePendingHash, storePendingHash } from "./pending-hash.ts";
import { requestSignature, type Signed, type SigningStep } from "./request-signature.ts";
import { requestTransfer, type Step } from "./request-transfer.ts";
import { connectServer, type Look, type PaymentAccess, type Status } from "./server.ts";
import { submitHash } from "./submit-hash.ts";

/** Opens the checkout page, here or in a window of its own. */
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

/** The status cannot be read. */
export interface Unavailable {
  kind: "unavailable";
  reason: Exclude<Look["kind"], "seen">;
}

/** The result: the server has the hash or a signature, or the reason that it has none. */
export type Outcome =
  | { kind: "submitted"; hash: string }
  | { kind: "refused"; hash: string; code: string }
  | Unavailable
  | { kind: "not-open"; status: Status["status"]; needs: Status["needs"] }
  | Exclude<Step, { kind: "connecting" | "switching" | "waiting" | "signing" | "sending" }>;

/**
 * Requests the transfer from the wallet and submits its hash, or its signature where the service pays the gas. The
 * browser stores the hash until the server has it, so that nobody pays twice: a second call continues with the stored
 * hash, and a payment in verification requests no transfer.
 */
export async function pay(
  wallet: Wallet | Provider,
  access: PaymentAccess,
  {
    onStep,
    signal = new AbortController().signal,
    omitReference = false,
    omitSignature = omitReference,
  }: PayFromWallet = {},
): Promise<Outcome> {
  const server = connectServer(access);
  const look = await server.look();
  if (look.kind !== "seen") return { kind: "unavailable", reason: look.kind };
  const { status } = look;
  const before = readPendingHash(access.id);
  if (before === undefined && !PAYABLE.includes(status.status)) {
    return { kind: "not-open", status: status.status, needs: status.needs };
  }
  const provider = getProvider(wallet);
  const omitted = { omitReference, omitSignature };
  const paying = { status, server, signal, ...omitted, onStep: (step: Step) => onStep?.(step) };
  const sent = before ?? (await requestTransfer(provider, paying));
  if (!("hash" in sent)) {
    if (signal.aborted) throw signal.reason;
    return sent as Outcome;
  }
  storePendingHash(access.id, sent);
  const { refused } = await submitHash(server, sent, signal);
  if (signal.aborted) throw signal.reason;
  removePendingHash(access.id);
  const { hash } = sent;
  return refused === undefined
    ? { kind: "submitted", hash }
    : { kind: "refused", hash, code: refused };
}

export interface PayFromWallet {
  /** The current step. */
  onStep?: (step: Step) => void;
  /** Ends the submission of the hash or signature; the transfer itself cannot be undone. */
  signal?: AbortSignal;
  /** After `unknown`: sends the transfer without the name of the payment, which some wallets refuse. */
  omitReference?: boolean;
  /** After `unsponsored`: requests a transaction, whose fee the wallet pays. */
  omitSignature?: boolean;
}

/**
 * Proves that a transfer belongs to this payment, where `needs` of its status is `payer_signature`: the wallet that
 * paid signs the payment's text. The next status shows the result.
 */
export async function signPayer(
  wallet: Wallet | Provider,
  access: PaymentAccess,
  { onStep = () => {}, signal = new AbortController().signal }: SignByWallet = {},
): Promise<Signed | Unavailable> {
  const server = connectServer(access);
  const look = await server.look();
  if (look.kind !== "seen") return { kind: "unavailable", reason: look.kind };
  return requestSignature(getProvider(wallet), { status: look.status, server, signal, onStep });
}

export interface SignByWallet {
  /** The current step. */
  onStep?: (step: SigningStep) => void;
  /** Ends the submission of the signature. */
  signal?: AbortSignal;
}

function getProvider(wallet: Wallet | Provider): Provider {
  return "provider" in wallet ? wallet.provider : wallet;
}
