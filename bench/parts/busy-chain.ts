// A development chain with many transfers of one token in each block. A seed makes two runs the same.
import { callNode, deployTestToken, startAnvil, transferData } from "@pay/embedded";

export interface BusyChain {
  rpcUrl: string;
  token: { symbol: string; name: string; decimals: number; address: string };
  /** Mines the blocks; answers the transfers that were asked for, with their hashes. */
  mine(blocks: number, planned: readonly Planned[]): Promise<Mined[]>;
  stop(): Promise<void>;
}

export interface Planned {
  recipient: string;
  amount: bigint;
  /** The token where nothing is said. */
  currency?: "native";
  /** Behind the arguments of its call, in hex. */
  suffix?: string;
}

export interface Mined extends Planned {
  txHash: string;
}

export const TRANSFERS_PER_BLOCK = 60;
const TOKEN = { symbol: "TUSD", name: "Test Dollar", decimals: 6, supply: 10n ** 30n };
const GAS = 100_000;
const NATIVE = { currency: "native" } as const;

export interface Traffic {
  perBlock: number;
  /** Every other transfer is of native coin, as about so many are on a public chain. */
  isMixed: boolean;
}

/** On an anvil of its own, unless the address of one is given. */
export async function startBusyChain(
  chainId: number,
  {
    given,
    perBlock = TRANSFERS_PER_BLOCK,
    isMixed = false,
  }: Partial<Traffic> & { given?: string | undefined } = {},
): Promise<BusyChain> {
  const anvil = given === undefined ? await startAnvil({ chainId }) : undefined;
  const rpcUrl = given ?? anvil?.rpcUrl ?? "";
  const said = Number(await callNode(rpcUrl, "eth_chainId"));
  if (said !== chainId) throw new Error(`the node is of chain ${said}, not of chain ${chainId}`);
  const { holder, ...token } = await deployTestToken(rpcUrl, TOKEN);
  const nonce = {
    next: Number(await callNode(rpcUrl, "eth_getTransactionCount", [holder, "latest"])),
  };

  function toContent({ recipient, amount, currency, suffix = "" }: Planned) {
    return currency === "native"
      ? { to: recipient, value: `0x${amount.toString(16)}` }
      : { to: token.address, data: transferData(recipient, amount) + suffix };
  }

  function filler(nth: number): Planned {
    const recipient = deriveAddress(`57ba${hex(nth).slice(2)}`);
    return { recipient, amount: 1n, ...(isMixed && nth % 2 === 1 ? NATIVE : {}) };
  }

  async function mineBlock(transfers: readonly Planned[]): Promise<Mined[]> {
    const hashes = await askMany(
      rpcUrl,
      transfers.map((transfer) => ({
        method: "eth_sendTransaction",
        params: [{ ...toContent(transfer), from: holder, gas: hex(GAS), nonce: hex(nonce.next++) }],
      })),
    );
    await callNode(rpcUrl, "anvil_mine", ["0x1"]);
    return transfers.map((transfer, at) => ({ ...transfer, txHash: hashes[at] as string }));
  }

  return {
    rpcUrl,
    token,
    mine: async (blocks, planned) => {
      await callNode(rpcUrl, "evm_setAutomine", [false]);
      const every = Math.floor((blocks * perBlock) / Math.max(planned.length, 1));
      const mined: Mined[] = [];
      for (let block = 0; block < blocks; block++) {
        const transfers = Array.from({ length: perBlock }, (_, at) => {
          const nth = block * perBlock + at;
          const wanted = nth % every === 0 ? planned[nth / every] : undefined;
          return wanted ?? filler(nth);
        });
        mined.push(...(await mineBlock(transfers)));
      }
      await callNode(rpcUrl, "evm_setAutomine", [true]);
      const asked = new Set(planned.map(({ recipient }) => recipient));
      return mined.filter(({ recipient }) => asked.has(recipient));
    },
    stop: async () => {
      await anvil?.stop();
    },
  };
}

export function deriveAddress(name: string): string {
  return `0x${name.padStart(40, "e")}`;
}

export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

async function askMany(
  rpcUrl: string,
  calls: readonly { method: string; params: readonly unknown[] }[],
): Promise<unknown[]> {
  const answered = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }))),
  });
  const answers = (await answered.json()) as { id: number; result?: unknown }[];
  const results = new Map(answers.map(({ id, result }) => [id, result]));
  return calls.map((_, id) => {
    if (results.get(id) === undefined) throw new Error("the chain took not every transfer");
    return results.get(id);
  });
}
