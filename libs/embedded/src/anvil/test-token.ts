// An ERC-20 token for development chains: OpenZeppelin's, compiled beforehand (`npm run contracts`). It comes to the
// same address whenever it is deployed with the same options, so a chain that is kept between starts gets it once.
import compiled from "../../contracts/TestToken.json" with { type: "json" };
import { callNode } from "./dev-rpc.ts";

export interface TestTokenOptions {
  symbol: string;
  name: string;
  decimals: number;
  /** In base units; all of it goes to the holder. */
  supply: bigint;
  /** An unlocked account of the node; absent: its first one. */
  holder?: string;
}

interface DevTransaction {
  from: string;
  to?: string;
  data?: string;
  value?: string;
  gas?: string;
}

export interface TestToken {
  symbol: string;
  name: string;
  decimals: number;
  /** Lower case. */
  address: string;
  /** Lower case. */
  holder: string;
}

// The usual deterministic deployer, which anvil brings along: it creates what follows the salt in its input.
const DEPLOYER = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const SALT = "0".repeat(64);

function hexWord(value: bigint | string): string {
  return (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0");
}

function hexText(value: string): string {
  const bytes = Buffer.from(value, "utf8");
  const words = Math.ceil(bytes.length / 32);
  return hexWord(BigInt(bytes.length)) + bytes.toString("hex").padEnd(64 * words, "0");
}

/** The constructor's arguments as the ABI wants them: one word each, a text's word being where the text begins. */
function constructorData(token: Required<TestTokenOptions>): string {
  const name = hexText(token.name);
  const nameAt = 5n * 32n;
  const symbolAt = nameAt + BigInt(name.length / 2);
  const head = [nameAt, symbolAt, BigInt(token.decimals), token.supply, token.holder];
  return head.map(hexWord).join("") + name + hexText(token.symbol);
}

/** The token's contract address; deploys it where it is not there yet. */
export async function deployTestToken(
  rpcUrl: string,
  options: TestTokenOptions,
): Promise<TestToken> {
  const { symbol, name, decimals, supply } = options;
  if (decimals < 0 || decimals > 255) throw new Error("decimals fit into one byte");
  const accounts = (await callNode(rpcUrl, "eth_accounts")) as string[];
  const holder = (options.holder ?? accounts[0])?.toLowerCase();
  if (holder === undefined) throw new Error("the node has no unlocked account");
  const code = compiled.bytecode + constructorData({ symbol, name, decimals, supply, holder });
  async function keccak(hex: string) {
    return (await callNode(rpcUrl, "web3_sha3", [hex])) as string;
  }

  const codeHash = (await keccak(`0x${code}`)).slice(2);
  const address = `0x${(await keccak(`0xff${DEPLOYER.slice(2)}${SALT}${codeHash}`)).slice(-40)}`;
  await deployOnce(rpcUrl, { address, input: `0x${SALT}${code}`, from: holder });
  return { symbol, name, decimals, address, holder };
}

/** Has the deterministic deployer create a contract where it is not there yet. */
export async function deployOnce(
  rpcUrl: string,
  { address, input, from }: { address: string; input: string; from: string },
): Promise<void> {
  if (await isDeployed(rpcUrl, address)) return;
  await sendFrom(rpcUrl, { from, to: DEPLOYER, data: input });
  if (!(await isDeployed(rpcUrl, address))) throw new Error("the contract was not deployed");
}

/** Calldata of an ERC-20 transfer. */
export function transferData(to: string, value: bigint): string {
  return `0xa9059cbb${hexWord(to.toLowerCase())}${hexWord(value)}`;
}

async function isDeployed(rpcUrl: string, address: string): Promise<boolean> {
  return (await callNode(rpcUrl, "eth_getCode", [address, "latest"])) !== "0x";
}

const MINED_TIMEOUT_MS = 30_000;

// A node numbers an account's transactions as they come in; two at once can get the same number, and one is refused.
const turns = new Map<string, Promise<unknown>>();

/** Sends from an unlocked account, one at a time, and waits until the transaction is in a block; its hash. */
export function sendFrom(rpcUrl: string, transaction: DevTransaction): Promise<string> {
  const account = `${rpcUrl} ${transaction.from.toLowerCase()}`;
  const before = turns.get(account) ?? Promise.resolve();
  const turn = before.catch(() => {}).then(() => sendNow(rpcUrl, transaction));
  turns.set(account, turn);
  return turn;
}

async function sendNow(rpcUrl: string, transaction: DevTransaction): Promise<string> {
  const hash = (await callNode(rpcUrl, "eth_sendTransaction", [transaction])) as string;
  const until = Date.now() + MINED_TIMEOUT_MS;
  while (Date.now() < until) {
    if ((await callNode(rpcUrl, "eth_getTransactionReceipt", [hash])) !== null) return hash;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the transaction was not mined in time");
}
