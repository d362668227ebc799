// A wallet as browsers have them: it announces itself by EIP-6963, and its requests reach the local chain.
import { callNode } from "@pay/embedded";
import type { Credentials } from "@pay/standalone";
import { REFERENCE_KEY } from "@pay/values";
import type { BrowserContext } from "playwright-core";

const BINDING = "askWallet";
const REJECTED = 4001;
const TYPED_DATA = "eth_signTypedData_v4";

interface Call {
  method: string;
  params?: unknown[];
}

type Answer = { result: unknown } | { error: { code: number; message: string } };

export interface PageWallet {
  /** Methods it was asked for. */
  readonly asked: string[];
  /** Texts that a page had it sign. */
  readonly signed: string[];
  /** Declines the next transfer or signature, as a person does. */
  declineNext(): void;
  /** Has no signatures of typed data, as some contract wallets. */
  refuseTypedData(): void;
  /** Fails by itself where bytes stand behind the arguments of a call, as old hardware does. */
  refuseTrailingData(): void;
  /** Is on another network until it is asked to switch; with `declines` it never does. */
  useOtherNetwork(declines?: boolean): void;
  /** Prefers calls (EIP-5792) to transactions, as contract wallets do. */
  preferCalls(): void;
  /** Sends this much less than it was asked for. */
  keepBack(base: bigint): void;
  install(context: BrowserContext): Promise<void>;
  /** In the form of answers. */
  address(): Promise<string>;
  /** The personal signature of a text. */
  sign(text: string): Promise<string>;
}

export function createPageWallet(
  { chainRpcUrl }: Credentials,
  { account = 0, name = "Test wallet" }: { account?: number; name?: string } = {},
): PageWallet {
  const asked: string[] = [];
  const signed: string[] = [];
  let declines = false;
  let refusesTypedData = false;
  let refusesTrailingData = false;
  let otherNetwork: "declines" | "switches" | undefined;
  let keptBack = 0n;
  let prefersCalls = false;

  async function address(): Promise<string> {
    return ((await callNode(chainRpcUrl, "eth_accounts")) as string[])[account] ?? "";
  }

  async function answer({ method, params = [] }: Call): Promise<unknown> {
    if (method === "eth_requestAccounts") return [await address()];
    if (method === "eth_chainId" && otherNetwork !== undefined) return "0x1";
    if (method === "wallet_switchEthereumChain") {
      if (otherNetwork === "declines") throw refusal();
      otherNetwork = undefined;
      return null;
    }
    if (prefersCalls && method === "wallet_getCapabilities") {
      const [, chains] = params as [string, string[]];
      return Object.fromEntries(
        chains.map((chain) => [chain, { atomic: { status: "supported" } }]),
      );
    }
    if (prefersCalls && method === "wallet_sendCalls") {
      const [{ from, calls }] = params as [{ from: string; calls: object[] }];
      const transaction = { from, ...calls[0] };
      return { id: await callNode(chainRpcUrl, "eth_sendTransaction", [transaction]) };
    }
    if (prefersCalls && method === "wallet_getCallsStatus") {
      return { status: 200, receipts: [{ transactionHash: params[0] }] };
    }
    if (refusesTypedData && method === TYPED_DATA) throw new Error("the method does not exist");
    const isForPerson = ["eth_sendTransaction", "personal_sign", TYPED_DATA].includes(method);
    if (isForPerson && declines) {
      declines = false;
      throw refusal();
    }
    if (method === "personal_sign")
      signed.push(Buffer.from(`${params[0]}`.slice(2), "hex").toString());
    if (method !== "eth_sendTransaction") return callNode(chainRpcUrl, method, params);
    const [transaction] = params as [{ value: string; data: string }];
    if (refusesTrailingData && transaction.data.includes(REFERENCE_KEY)) {
      throw new Error("the device refused the data");
    }
    const value = `0x${(BigInt(transaction.value) - keptBack).toString(16)}`;
    keptBack = 0n;
    return callNode(chainRpcUrl, method, [{ ...transaction, value }]);
  }

  function refusal() {
    return Object.assign(new Error("declined"), { code: REJECTED });
  }

  return {
    asked,
    signed,
    address: async () => (await address()).toLowerCase(),
    sign: async (text) => {
      const hex = `0x${Buffer.from(text).toString("hex")}`;
      return (await callNode(chainRpcUrl, "personal_sign", [hex, await address()])) as string;
    },
    declineNext: () => {
      declines = true;
    },
    refuseTypedData: () => {
      refusesTypedData = true;
    },
    refuseTrailingData: () => {
      refusesTrailingData = true;
    },
    useOtherNetwork: (declining = false) => {
      otherNetwork = declining ? "declines" : "switches";
    },
    preferCalls: () => {
      prefersCalls = true;
    },
    keepBack: (base) => {
      keptBack = base;
    },
    install: async (context) => {
      await context.exposeBinding(BINDING, async (_source, call: Call): Promise<Answer> => {
        asked.push(call.method);
        try {
          return { result: await answer(call) };
        } catch (error) {
          const { code = -32_000, message } = error as Error & { code?: number };
          return { error: { code, message } };
        }
      });
      await context.addInitScript(announce, { binding: BINDING, name });
    },
  };
}

/** Runs in the page. */
function announce({ binding, name }: { binding: string; name: string }): void {
  async function request(call: Call) {
    const ask = (globalThis as unknown as Record<string, (call: Call) => Promise<Answer>>)[binding];
    const answer = await ask?.(call);
    if (answer !== undefined && "error" in answer) throw answer.error;
    return answer?.result;
  }

  const info = {
    uuid: "350670db-19fa-4704-a166-e52e178b59d2",
    name,
    icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E",
    rdns: "example.wallet",
  };
  const detail = Object.freeze({ info, provider: { request } });
  function say() {
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  }

  addEventListener("eip6963:requestProvider", say);
  say();
}

/** Runs in the page: wallets that deceive, and one that does not. */
export function announceHostile(): void {
  const provider = { request: async () => [] };
  function announce(info: object, by: object = provider): void {
    const detail = Object.freeze({ info, provider: by });
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  }

  function id(digit: number) {
    return `350670db-19fa-4704-a166-e52e178b59d${digit}`;
  }

  const icon = "data:image/png;base64,AAAA";
  addEventListener("eip6963:requestProvider", () => {
    announce({ uuid: id(1), name: "Honest", icon: "https://evil.example/icon.png" });
    announce({ uuid: id(2), name: "\u202eevil\u202c", icon });
    announce({ uuid: id(3), name: "x".repeat(41), icon });
    announce({ uuid: "not-a-uuid", name: "No identity", icon });
    announce({ uuid: id(4), name: "First", icon });
    announce(
      { uuid: id(4), name: "Second of the same identity", icon },
      { request: async () => [] },
    );
  });
}
