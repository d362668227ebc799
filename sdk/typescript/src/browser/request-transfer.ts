// Requests the transfer from a wallet: account, network, balance, and a transaction, or a signature where the service
// pays the gas. The payer is declared before the wallet sends, because a payment that another wallet has signed for
// takes no money from this one.

import type { AuthorizationRequest } from "./authorize-transfer.ts";
import type { Provider } from "./find-wallets.ts";
import type { Transaction } from "./send-calls.ts";
import type { Server, Status } from "./server.ts";
import { retryWhileOffline } from "./submit-hash.ts";

/** A step, or the reason that the transfer ended without a hash. */
export type Step =
  | { kind: "connecting" }
  | { kind: "switching" }
  | { kind: "waiting" }
  /** The wallet is asked for a signature in place of a transaction. */
  | { kind: "signing" }
  /** The server is given the signature. */
  | { kind: "sending" }
  /** The server has a signature, and sends the transfer. */
  | { kind: "authorized" }
  /** A signature does not pay it; a transaction of the wallet does. */
  | { kind: "unsponsored" }
  | { kind: "rejected" }
  | { kind: "wrong-network" }
  | { kind: "insufficient"; balance: bigint; ofCoin: boolean }
  /** The payment takes no money any more, or belongs to another wallet. */
  | { kind: "refused"; code: string }
  /** The wallet failed by itself, and may take the transaction without the name of the payment. */
  | { kind: "unknown" };

export type Paid = { hash: string; payer: string } | Step;

const HASH = /^0x[0-9a-fA-F]{64}$/;
const BALANCE_OF = "0x70a08231";
/** What names the payment behind the arguments of the call, by ERC-8021. */
const REFERENCE = /a1616d.{50}(8021){8}$/;

export interface TransferRequest {
  status: Status;
  server: Pick<Server, "authorize" | "declare">;
  signal: AbortSignal;
  onStep: (step: Step) => void;
  /** Leaves the name of the payment off, which some wallets refuse. */
  omitReference?: boolean;
  /** Requests a transaction, also where a signature would do. */
  omitSignature?: boolean;
}

/** What the payer has signed may still be spent, or is in a block that the payment does not know yet. */
export function isAuthorized({ status, authorization }: Status): boolean {
  if (authorization === null) return false;
  const isUntold = status === "created" || status === "pending";
  return authorization.typedData === null || (authorization.state === "used" && isUntold);
}

export async function requestTransfer(
  provider: Provider,
  {
    status,
    server,
    signal,
    onStep,
    omitReference = false,
    omitSignature = omitReference,
  }: TransferRequest,
): Promise<Paid> {
  if (isAuthorized(status)) return { kind: "authorized" };
  const { transaction } = status;
  if (transaction === null) return { kind: "refused", code: "payment_expired" };
  const typedData = omitSignature ? null : (status.authorization?.typedData ?? null);
  const data = omitReference ? transaction.data.replace(REFERENCE, "") : transaction.data;
  try {
    onStep({ kind: "connecting" });
    const payer = await getAccount(provider);
    if (payer === undefined) return { kind: "rejected" };
    onStep({ kind: "switching" });
    if (!(await useNetwork(provider, status))) return { kind: "wrong-network" };
    const missing = await findMissingBalance(provider, payer, {
      ...status,
      transaction,
      needsCoin: typedData === null,
    });
    if (missing !== undefined) return missing;
    const declared = await server.declare(payer);
    // Without a response the transfer counts as well.
    if (declared.kind === "refused") return declared;
    if (typedData !== null) {
      // One whose answer was lost may be spent, and a transfer beside it would pay twice.
      const submit: AuthorizationRequest["submit"] = (authorization, signature) =>
        retryWhileOffline(() => server.authorize(authorization, signature), signal);
      return await requestAuthorization(provider, { payer, typedData, submit, onStep });
    }
    const sender = omitReference ? undefined : await import("./send-calls.ts").catch(() => {});
    const send = (await sender?.findCallSender(provider, payer, status)) ?? sendTransaction;
    onStep({ kind: "waiting" });
    const hash = await send(provider, { ...transaction, data, from: payer });
    return hash === undefined ? { kind: "unknown" } : { hash, payer };
  } catch (error) {
    return { kind: isDeclined(error) ? "rejected" : "unknown" };
  }
}

/** Whatever fails but the person's consent, an ordinary transfer can do without. */
async function requestAuthorization(
  provider: Provider,
  request: AuthorizationRequest,
): Promise<Step> {
  try {
    const { authorizeTransfer } = await import("./authorize-transfer.ts");
    return await authorizeTransfer(provider, request);
  } catch (error) {
    return { kind: isDeclined(error) ? "rejected" : "unsponsored" };
  }
}

/** Sends it by the wallet; undefined where the wallet reports no hash. */
export async function sendTransaction(
  provider: Provider,
  { from, to, value, data }: Transaction,
): Promise<string | undefined> {
  const response = await provider.request({
    method: "eth_sendTransaction",
    params: [{ from, to, value, data }],
  });
  return findHash(provider, response);
}

/** Of a status, or of the record of a chain. */
export type Network = Pick<
  Status,
  "chainId" | "chainName" | "chainSymbol" | "chainDecimals" | "chainRpcUrl"
>;

export async function isOnNetwork(provider: Provider, chainId: number): Promise<boolean> {
  return BigInt((await provider.request({ method: "eth_chainId" })) as string) === BigInt(chainId);
}

/**
 * Wallets report an unknown network in many ways, so every error but the user's rejection leads to adding the network.
 */
export async function useNetwork(provider: Provider, wanted: Network): Promise<boolean> {
  const chainId = `0x${wanted.chainId.toString(16)}`;
  if (await isOnNetwork(provider, wanted.chainId)) return true;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    if (isDeclined(error) || wanted.chainRpcUrl === null) return false;
    const nativeCurrency = {
      name: wanted.chainSymbol,
      symbol: wanted.chainSymbol,
      decimals: wanted.chainDecimals,
    };
    const network = { chainId, chainName: wanted.chainName, rpcUrls: [wanted.chainRpcUrl] };
    await provider.request({
      method: "wallet_addEthereumChain",
      params: [{ ...network, nativeCurrency }],
    });
  }
  return isOnNetwork(provider, wanted.chainId);
}

interface Payable extends Status {
  transaction: NonNullable<Status["transaction"]>;
  /** For the fee. */
  needsCoin: boolean;
}

/** A wallet without a readable balance may continue; the chain decides. */
async function findMissingBalance(
  provider: Provider,
  payer: string,
  { currency, transaction, dueBaseAmount, needsCoin }: Payable,
): Promise<Step | undefined> {
  try {
    const coins = await provider.request({ method: "eth_getBalance", params: [payer, "latest"] });
    const coin = BigInt(coins as string);
    if (currency === "native") {
      const isEnough = coin > BigInt(transaction.value);
      return isEnough ? undefined : { kind: "insufficient", balance: coin, ofCoin: true };
    }
    if (needsCoin && coin === 0n) return { kind: "insufficient", balance: coin, ofCoin: true };
    const data = BALANCE_OF + payer.slice(2).toLowerCase().padStart(64, "0");
    const call = [{ to: transaction.to, data }, "latest"];
    const token = BigInt((await provider.request({ method: "eth_call", params: call })) as string);
    return token >= BigInt(dueBaseAmount ?? 0)
      ? undefined
      : { kind: "insufficient", balance: token, ofCoin: false };
  } catch {
    return undefined;
  }
}

/** Batching and multi-signature wallets return an id of their own instead of a hash. */
async function findHash(provider: Provider, response: unknown): Promise<string | undefined> {
  if (typeof response === "string" && HASH.test(response)) return response.toLowerCase();
  return (await import("./send-calls.ts")).findCallsHash(provider, response);
}

/** EIP-1193: the user rejected the request. */
const DECLINED = 4001;

/** The account that the user shares with the page; undefined for none. */
export async function getAccount(provider: Provider): Promise<string | undefined> {
  const [account] = (await provider.request({ method: "eth_requestAccounts" })) as string[];
  return account;
}

/** Whether the user rejected the request; every other error is a fault of the wallet. */
export function isDeclined(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DECLINED;
}
