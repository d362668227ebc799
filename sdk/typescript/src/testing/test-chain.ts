// What a test does on the chain of a started service: give coins, pay as a shopper does, go on by some blocks.
import type { PaymentStatus } from "../api/records/payments.ts";

const ANSWER_MS = 30_000;
const POLL_MS = 20;

export interface Paid {
  txHash: string;
  payerAddress: string;
}

export interface TestChain {
  /** Sets the native balance of a wallet, or with `token` adds to its balance of the test token, in a block. */
  fund(address: string, base: bigint, options?: { token: boolean }): Promise<void>;
  /**
   * Pays a payment from a wallet of the chain and hands the hash in, as a shopper's page does. Another amount than the
   * one that is due makes it underpaid, or pays too much.
   */
  pay(payment: PaymentToPay, options?: { base?: bigint; from?: string }): Promise<Paid>;
  /** Mines blocks. */
  mine(blocks?: number): Promise<void>;
  /** Any other call of the chain's node, e.g. `anvil_reorg`. */
  askChain(method: string, params: unknown[]): Promise<unknown>;
}

export interface PaymentToPay {
  id: string;
  clientSecret: string;
}

interface Parts {
  baseUrl: string;
  publishableKey: string;
  chainRpcUrl: string;
  tokenAddress: string;
}

export function createTestChain({
  baseUrl,
  publishableKey,
  chainRpcUrl,
  tokenAddress,
}: Parts): TestChain {
  async function askChain(method: string, params: unknown[]): Promise<unknown> {
    const call = { jsonrpc: "2.0", id: 1, method, params };
    const { result, error } = (await ask(chainRpcUrl, { body: call })) as {
      result?: unknown;
      error?: { message: string };
    };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async function firstAccount(): Promise<string> {
    const [account = ""] = (await askChain("eth_accounts", [])) as string[];
    return account;
  }

  async function sendFrom(from: string, transaction: object): Promise<string> {
    return (await askChain("eth_sendTransaction", [{ from, ...transaction }])) as string;
  }

  /**
   * A page names the wallet a moment before it sends. Here both are in the same second, which the times of blocks do
   * not tell apart, so the wallet signs; one whose key the node does not have cannot.
   */
  async function signed(message: string, payerAddress: string): Promise<string | undefined> {
    const text = `0x${Buffer.from(message).toString("hex")}`;
    const signature = await askChain("personal_sign", [text, payerAddress]).catch(() => undefined);
    return signature as string | undefined;
  }

  // The node answers with the hash before the block is there.
  async function untilMined(txHash: string): Promise<void> {
    const deadline = performance.now() + ANSWER_MS;
    while ((await askChain("eth_getTransactionReceipt", [txHash])) === null) {
      if (performance.now() > deadline) throw new Error(`${txHash} was not mined in time`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  return {
    askChain,
    fund: async (address, base, { token } = { token: false }) => {
      if (!token) {
        await askChain("anvil_setBalance", [address, toHex(base)]);
        return;
      }
      const data = encodeTransfer(address, base);
      await untilMined(await sendFrom(await firstAccount(), { to: tokenAddress, data }));
    },
    pay: async ({ id, clientSecret }, { base, from } = {}) => {
      const url = `${baseUrl}/v1/payments/${id}`;
      const keys = { "X-Publishable-Key": publishableKey };
      const { transaction, payTo, currency, status, payerMessage } = (await ask(`${url}/status`, {
        headers: { ...keys, "X-Client-Secret": clientSecret },
      })) as PaymentStatus;
      const payerAddress = from ?? (await firstAccount());
      if (status === "created" || status === "pending") {
        const signature = await signed(payerMessage ?? id, payerAddress);
        const body = { clientSecret, payerAddress, ...(signature && { signature }) };
        await ask(`${url}/payer`, { headers: keys, body });
      }
      const due = base === undefined ? transaction : toTransfer({ payTo, currency }, base);
      if (due === null) throw new Error("nothing is left to pay");
      const txHash = await sendFrom(payerAddress, due);
      await ask(`${url}/confirm`, { headers: keys, body: { clientSecret, txHash } });
      return { txHash, payerAddress };
    },
    mine: async (blocks = 1) => {
      await askChain("anvil_mine", [toHex(BigInt(blocks))]);
    },
  };
}

function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function toWord(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

/** Any amount at any time, also where the service asks for none. */
function toTransfer({ payTo, currency }: Pick<PaymentStatus, "payTo" | "currency">, base: bigint) {
  return currency === "native"
    ? { to: payTo, value: toHex(base) }
    : { to: currency, data: encodeTransfer(payTo, base) };
}

function encodeTransfer(to: string, base: bigint): string {
  return `0xa9059cbb${toWord(BigInt(to))}${toWord(base)}`;
}

async function ask(
  url: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object },
): Promise<unknown> {
  const response = await fetch(url, {
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}
