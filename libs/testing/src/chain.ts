// A real chain for a test file: anvil with a deployed token and the factory of deposit addresses, and the actions of a
// payer.
import {
  callNode,
  deployOnce,
  deployTestToken,
  missingAnvil,
  sendFrom,
  startAnvil,
  type TestToken,
  transferData,
} from "@pay/embedded";
import { type ChainId, DEPOSIT_FACTORY, DEPOSIT_FACTORY_INPUT, toChainId } from "@pay/values";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { describeUnless } from "./unless.ts";
import { until } from "./until.ts";

export interface Transaction {
  from?: string;
  to?: string;
  data?: string;
  value?: bigint;
  gas?: bigint;
  gasPrice?: bigint;
  nonce?: number;
}

export interface TestChain {
  readonly rpcUrl: string;
  readonly chainId: ChainId;
  /** Six decimals; all of it belongs to the first account. */
  readonly token: TestToken;
  /** Unlocked and rich. */
  readonly accounts: readonly string[];
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Pays in native coin; the hash, once mined. From the first account when no sender is given. */
  payNative(payment: { to: string; value: bigint; from?: string }): Promise<string>;
  /** Pays in a token, the test token when none is named; the hash, once mined. */
  payToken(payment: { to: string; value: bigint; from?: string; token?: string }): Promise<string>;
  /** Sends anything; the hash, once mined (successful or not). */
  send(transaction: Transaction): Promise<string>;
  /** Sends without waiting for a block. */
  submit(transaction: Transaction): Promise<string>;
  /** Creates a contract from its creation code (hex without 0x); its address in lower case. */
  deploy(code: string): Promise<string>;
  /** Another token, e.g. one that no catalog lists. */
  deployToken(options: { symbol: string; name: string; decimals: number }): Promise<TestToken>;
  mine(blocks?: number): Promise<void>;
  /** Whether a transaction gets its block at once (as at the start) or only by `mine`. */
  mineAtOnce(atOnce: boolean): Promise<void>;
  /** The time of the next block, in seconds since 1970; not before the last one's. */
  setNextBlockTime(seconds: number): Promise<void>;
  /** Drops the newest blocks and their transactions, and puts empty ones in their place. */
  reorg(depth: number): Promise<void>;
  receipt(hash: string): Promise<{
    status: string;
    blockNumber: string;
    blockHash: string;
    gasUsed: string;
  } | null>;
  blockTime(hash: string): Promise<Date>;
  head(): Promise<number>;
  /** A provider in front of the chain that misbehaves on order; stopped with the chain. */
  faultProxy(): Promise<FaultProxy>;
  stop(): Promise<void>;
}

const TOKEN = { symbol: "TUSD", name: "Test Dollar", decimals: 6, supply: 10n ** 15n };
const CHAIN_ID = 31_337;
/** Above the intrinsic cost of anything tests do; also keeps the node from refusing what will revert. */
const GAS = 3_000_000n;

export async function testChain(
  options: { chainId?: number; slotsInAnEpoch?: number } = {},
): Promise<TestChain> {
  const chainId = toChainId(options.chainId ?? CHAIN_ID);
  const anvil = await startAnvil({ ...options, chainId });
  const { rpcUrl } = anvil;
  function call(method: string, params: readonly unknown[] = []) {
    return callNode(rpcUrl, method, params);
  }

  const accounts = (await call("eth_accounts")) as string[];
  const [first = ""] = accounts;
  const token = await deployTestToken(rpcUrl, TOKEN);
  await deployOnce(rpcUrl, {
    address: DEPOSIT_FACTORY,
    input: DEPOSIT_FACTORY_INPUT,
    from: first,
  });
  const proxies: FaultProxy[] = [];

  function send(transaction: Transaction) {
    return sendFrom(rpcUrl, toRequest(transaction, first));
  }

  function receipt(hash: string) {
    return call("eth_getTransactionReceipt", [hash]);
  }

  return {
    rpcUrl,
    chainId,
    token,
    accounts,
    call,
    send,
    payNative: ({ to, value, from }) => send({ to, value, ...(from ? { from } : {}) }),
    payToken: ({ to, value, from, token: other }) =>
      send({
        to: other ?? token.address,
        data: transferData(to, value),
        ...(from ? { from } : {}),
      }),
    submit: async (transaction) =>
      (await call("eth_sendTransaction", [toRequest(transaction, first)])) as string,
    deploy: async (code) => {
      const mined = (await receipt(await send({ data: `0x${code}` }))) as {
        status: string;
        contractAddress: string;
      };
      if (mined.status !== "0x1") throw new Error("the contract was not created");
      return mined.contractAddress.toLowerCase();
    },
    deployToken: (description) => deployTestToken(rpcUrl, { ...description, supply: 10n ** 30n }),
    mine: async (blocks = 1) => {
      await call("anvil_mine", [hex(blocks)]);
    },
    mineAtOnce: async (atOnce) => {
      await call("evm_setAutomine", [atOnce]);
    },
    setNextBlockTime: async (seconds) => {
      await call("evm_setNextBlockTimestamp", [seconds]);
    },
    reorg: async (depth) => {
      await call("anvil_reorg", [depth, []]);
    },
    receipt: async (hash) => (await receipt(hash)) as Awaited<ReturnType<TestChain["receipt"]>>,
    blockTime: async (hash) => {
      const mined = await until(async () => (await receipt(hash)) as { blockHash: string } | null);
      const block = (await call("eth_getBlockByHash", [mined.blockHash, false])) as {
        timestamp: string;
      };
      return new Date(Number(block.timestamp) * 1_000);
    },
    head: async () => Number(await call("eth_blockNumber")),
    faultProxy: async () => {
      const proxy = await startFaultProxy(rpcUrl);
      proxies.push(proxy);
      return proxy;
    },
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await anvil.stop();
    },
  };
}

function hex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

function toRequest(
  { from, to, data, value, gas = GAS, gasPrice, nonce }: Transaction,
  sender: string,
) {
  return {
    from: from ?? sender,
    gas: hex(gas),
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(value === undefined ? {} : { value: hex(value) }),
    ...(gasPrice === undefined ? {} : { gasPrice: hex(gasPrice) }),
    ...(nonce === undefined ? {} : { nonce: hex(nonce) }),
  };
}

export function describeWithChain(name: string, body: () => void): void {
  describeUnless(missingAnvil(), name, body);
}
