// Wallets that take calls (EIP-5792), most of them contract wallets. They answer with an id in place of the hash of a
// transaction. Loaded when a payment is made.
import type { Provider } from "./find-wallets.ts";
import type { Status } from "./server.ts";

const HASH = /^0x[0-9a-f]{64}$/;
const POLLS_MAX = 150;
const POLL_MS = 2_000;
/** A wallet that does not say by then what it can gets an ordinary transaction. */
const CAPABILITIES_MS = 1_000;
/** From this status on, calls have failed. */
const FAILED = 400;

export interface Transaction {
  from: string;
  to: string;
  value: string;
  data: string;
}

/** For a wallet that executes calls as one, as contract wallets do: it may pay the fee in another way. */
export async function findCallSender(
  provider: Provider,
  payer: string,
  status: Pick<Status, "chainId">,
): Promise<
  ((provider: Provider, transaction: Transaction) => Promise<string | undefined>) | undefined
> {
  const chainId = `0x${status.chainId.toString(16)}`;
  try {
    const capabilities = (await Promise.race([
      provider.request({ method: "wallet_getCapabilities", params: [payer, [chainId]] }),
      new Promise((resolve) => setTimeout(resolve, CAPABILITIES_MS)),
    ])) as Record<string, { atomic?: { status?: unknown } }> | undefined;
    if (capabilities?.[chainId]?.atomic?.status !== "supported") return undefined;
  } catch {
    return undefined;
  }
  // What names the payment stays in the data of the call itself.
  return async (_, { from, ...call }) => {
    const calls = { version: "2.0.0", chainId, from, atomicRequired: false, calls: [call] };
    const response = await provider.request({ method: "wallet_sendCalls", params: [calls] });
    return findCallsHash(provider, response);
  };
}

/** The hash of the transaction that holds the calls; undefined where they fail, or none comes. */
export async function findCallsHash(
  provider: Provider,
  response: unknown,
): Promise<string | undefined> {
  const id = typeof response === "string" ? response : (response as { id?: unknown } | null)?.id;
  if (typeof id !== "string") return undefined;
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    const calls = (await provider.request({ method: "wallet_getCallsStatus", params: [id] })) as {
      status?: unknown;
      receipts?: { transactionHash?: string }[];
    } | null;
    const hash = calls?.receipts?.at(-1)?.transactionHash?.toLowerCase() ?? "";
    if (HASH.test(hash)) return hash;
    if (Number(calls?.status) >= FAILED) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
}
