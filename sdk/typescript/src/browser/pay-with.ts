// From a wallet to a transaction hash: account, network, balance, transfer. The transfer is the one the server made. The wallet is
// named as the payer before it sends, so that no one else can claim its transfer.
import { getAccount, isDeclined } from "./ask-wallet.ts";
import type { Provider } from "./discover.ts";
import type { Server, Status } from "./server.ts";

/** Where it stands, or why it ended without a hash. */
export type Step =
  | { kind: "connecting" }
  | { kind: "switching" }
  | { kind: "waiting" }
  | { kind: "rejected" }
  | { kind: "wrong-network" }
  | { kind: "insufficient"; balance: bigint; ofCoin: boolean }
  /** The payment is over, or belongs to another wallet. */
  | { kind: "refused"; code: string }
  | { kind: "unknown" };

export type Paid = { hash: string; payer: string } | Step;

const HASH = /^0x[0-9a-fA-F]{64}$/;
const BALANCE_OF = "0x70a08231";
const CALLS_LOOKS_MAX = 150;
const CALLS_LOOK_MS = 2_000;
/** Blocks tell whole seconds, so a transfer of the next second is plainly later than the naming of its payer. */
const NAMED_BEFORE_MS = 1_000;

export interface Paying {
  status: Status;
  server: Pick<Server, "declare">;
  onStep: (step: Step) => void;
}

export async function payWith(
  provider: Provider,
  { status, server, onStep }: Paying,
): Promise<Paid> {
  try {
    onStep({ kind: "connecting" });
    const payer = await getAccount(provider);
    if (payer === undefined) return { kind: "rejected" };
    onStep({ kind: "switching" });
    if (!(await useNetwork(provider, status))) return { kind: "wrong-network" };
    const missing = await whatIsMissing(provider, payer, status);
    if (missing !== undefined) return missing;
    const declared = await server.declare(payer);
    // Without an answer the transfer is as good, only not bound to the payment in advance.
    if (declared.kind === "refused") return declared;
    onStep({ kind: "waiting" });
    await new Promise((resolve) => setTimeout(resolve, NAMED_BEFORE_MS));
    const { to, value, data } = status.transaction;
    const answer = await provider.request({
      method: "eth_sendTransaction",
      params: [{ from: payer, to, value, data }],
    });
    const hash = await makeHash(provider, answer);
    return hash === undefined ? { kind: "unknown" } : { hash, payer };
  } catch (error) {
    return { kind: isDeclined(error) ? "rejected" : "unknown" };
  }
}

async function isOnNetwork(provider: Provider, chainId: number): Promise<boolean> {
  return BigInt((await provider.request({ method: "eth_chainId" })) as string) === BigInt(chainId);
}

/** Wallets say in many ways that they do not know a network, so every refusal but the person's own is tried again. */
async function useNetwork(provider: Provider, status: Status): Promise<boolean> {
  const chainId = `0x${status.chainId.toString(16)}`;
  if (await isOnNetwork(provider, status.chainId)) return true;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    if (isDeclined(error) || status.chainRpcUrl === null) return false;
    const nativeCurrency = {
      name: status.chainSymbol,
      symbol: status.chainSymbol,
      decimals: status.chainDecimals,
    };
    const network = { chainId, chainName: status.chainName, rpcUrls: [status.chainRpcUrl] };
    await provider.request({
      method: "wallet_addEthereumChain",
      params: [{ ...network, nativeCurrency }],
    });
  }
  return isOnNetwork(provider, status.chainId);
}

/** A wallet that cannot tell its balance is not held up; the chain decides anyway. */
async function whatIsMissing(
  provider: Provider,
  payer: string,
  { currency, transaction }: Status,
): Promise<Step | undefined> {
  try {
    const coins = await provider.request({ method: "eth_getBalance", params: [payer, "latest"] });
    const coin = BigInt(coins as string);
    if (currency === "native") {
      const isEnough = coin > BigInt(transaction.value);
      return isEnough ? undefined : { kind: "insufficient", balance: coin, ofCoin: true };
    }
    if (coin === 0n) return { kind: "insufficient", balance: coin, ofCoin: true };
    const data = BALANCE_OF + payer.slice(2).toLowerCase().padStart(64, "0");
    const call = [{ to: transaction.to, data }, "latest"];
    const token = BigInt((await provider.request({ method: "eth_call", params: call })) as string);
    const due = BigInt(`0x${transaction.data.slice(-64)}`);
    return token >= due ? undefined : { kind: "insufficient", balance: token, ofCoin: false };
  } catch {
    return undefined;
  }
}

/** Wallets that send several calls as one, and those that several people sign, answer with an id of their own. */
async function makeHash(provider: Provider, answer: unknown): Promise<string | undefined> {
  if (typeof answer === "string" && HASH.test(answer)) return answer.toLowerCase();
  const id = typeof answer === "string" ? answer : (answer as { id?: unknown } | null)?.id;
  if (typeof id !== "string") return undefined;
  for (let looks = 0; looks < CALLS_LOOKS_MAX; looks++) {
    const calls = (await provider.request({ method: "wallet_getCallsStatus", params: [id] })) as {
      receipts?: { transactionHash?: string }[];
    } | null;
    const hash = calls?.receipts?.at(-1)?.transactionHash;
    if (hash !== undefined && HASH.test(hash)) return hash.toLowerCase();
    await new Promise((resolve) => setTimeout(resolve, CALLS_LOOK_MS));
  }
  return undefined;
}
