// A plain ERC-20 token for development chains, with storage laid out as Solidity would: balances in the mapping
// at slot 0, allowances at slot 1, the supply at slot 2. It comes to the same address whenever it is deployed
// with the same options, so a chain that is kept between starts gets it once.
import { callNode } from "./dev-rpc.ts";
import { assemble, creationCode } from "./evm-assembler.ts";

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

const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL_TOPIC = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
// The usual deterministic deployer, which anvil brings along: it creates what follows the salt in its input.
const DEPLOYER = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const SALT = "0".repeat(64);

const BALANCES = 0;
const ALLOWANCES = 1;
const SUPPLY = 2;

// Where the operands of a movement wait in memory; the first two words are scratch space for hashing.
const FROM = "0x80";
const TO = "0xa0";
const VALUE = "0xc0";

const argument = (index: number) => `${4 + 32 * index} CALLDATALOAD`;
const store = (place: string) => `${place} MSTORE`;
const load = (place: string) => `${place} MLOAD`;
/** [key] -> [slot of mapping[key]], where the mapping's own slot is a constant. */
const slotIn = (mapping: number) => `0 MSTORE ${mapping} 0x20 MSTORE 0x40 0 KECCAK256`;
/** [key, slot of the outer mapping's entry] -> [slot of the inner entry]. */
const NESTED_SLOT = "0x20 MSTORE 0 MSTORE 0x40 0 KECCAK256";
const needs = (words: number) => `${4 + 32 * words} CALLDATASIZE LT @fail JUMPI`;
const requireAddress = (place: string) =>
  `${load(place)} ISZERO @fail JUMPI ${load(place)} 160 SHR @fail JUMPI`;
const on = (selector: string, target: string) => `DUP1 ${selector} EQ @${target} JUMPI`;
const RETURN_WORD = "0 MSTORE 0x20 0 RETURN";

const text = (value: string): string => {
  const bytes = Buffer.from(value, "utf8");
  if (bytes.length === 0 || bytes.length > 32) throw new Error("a text has 1 to 32 bytes");
  const word = `0x${bytes.toString("hex").padEnd(64, "0")}`;
  return `0x20 0 MSTORE ${bytes.length} 0x20 MSTORE ${word} 0x40 MSTORE 0x60 0 RETURN`;
};

const runtime = (token: { symbol: string; name: string; decimals: number }): string =>
  assemble(`
    CALLVALUE @fail JUMPI
    ${needs(0)}
    0 CALLDATALOAD 224 SHR               ; [selector]
    ${on("0xa9059cbb", "transfer")}
    ${on("0x23b872dd", "transferFrom")}
    ${on("0x095ea7b3", "approve")}
    ${on("0x70a08231", "balanceOf")}
    ${on("0xdd62ed3e", "allowance")}
    ${on("0x18160ddd", "totalSupply")}
    ${on("0x313ce567", "decimals")}
    ${on("0x95d89b41", "symbol")}
    ${on("0x06fdde03", "name")}
  fail:
    0 0 REVERT

  transfer:
    ${needs(2)}
    CALLER ${store(FROM)} ${argument(0)} ${store(TO)} ${argument(1)} ${store(VALUE)}
    @move JUMP

  transferFrom:
    ${needs(3)}
    ${argument(0)} ${store(FROM)} ${argument(1)} ${store(TO)} ${argument(2)} ${store(VALUE)}
    CALLER ${load(FROM)} ${slotIn(ALLOWANCES)} ${NESTED_SLOT}
    DUP1 SLOAD                           ; [slot, allowed]
    DUP1 NOT ISZERO @unlimited JUMPI     ; the greatest number means: for ever
    ${load(VALUE)} DUP2 LT @fail JUMPI
    ${load(VALUE)} SWAP1 SUB SWAP1 SSTORE
    @move JUMP
  unlimited:
    POP POP @move JUMP

  move:
    ${requireAddress(FROM)}
    ${requireAddress(TO)}
    ${load(FROM)} ${slotIn(BALANCES)} DUP1 SLOAD   ; [slot, balance]
    ${load(VALUE)} DUP2 LT @fail JUMPI
    ${load(VALUE)} SWAP1 SUB SWAP1 SSTORE
    ${load(TO)} ${slotIn(BALANCES)} DUP1 SLOAD     ; cannot overflow: the supply is one word
    ${load(VALUE)} ADD SWAP1 SSTORE
    ${load(TO)} ${load(FROM)} ${TRANSFER_TOPIC} 0x20 ${VALUE} LOG3
    1 ${RETURN_WORD}

  approve:
    ${needs(2)}
    ${argument(0)} ${store(TO)} ${argument(1)} ${store(VALUE)}
    ${requireAddress(TO)}
    ${load(VALUE)} ${load(TO)} CALLER ${slotIn(ALLOWANCES)} ${NESTED_SLOT} SSTORE
    ${load(TO)} CALLER ${APPROVAL_TOPIC} 0x20 ${VALUE} LOG3
    1 ${RETURN_WORD}

  balanceOf:
    ${needs(1)}
    ${argument(0)} ${slotIn(BALANCES)} SLOAD ${RETURN_WORD}

  allowance:
    ${needs(2)}
    ${argument(1)} ${argument(0)} ${slotIn(ALLOWANCES)} ${NESTED_SLOT} SLOAD ${RETURN_WORD}

  totalSupply:
    ${SUPPLY} SLOAD ${RETURN_WORD}

  decimals:
    ${token.decimals} ${RETURN_WORD}

  symbol:
    ${text(token.symbol)}

  name:
    ${text(token.name)}
`);

const construction = (holder: string, supply: bigint): string => `
    ${supply} ${SUPPLY} SSTORE
    ${supply} ${holder} ${slotIn(BALANCES)} SSTORE
    ${supply} 0 MSTORE
    ${holder} 0 ${TRANSFER_TOPIC} 0x20 0 LOG3`;

/** The token's contract address; deploys it where it is not there yet. */
export const deployTestToken = async (
  rpcUrl: string,
  options: TestTokenOptions,
): Promise<TestToken> => {
  const { symbol, name, decimals, supply } = options;
  if (decimals < 0 || decimals > 255) throw new Error("decimals fit into one byte");
  const accounts = (await callNode(rpcUrl, "eth_accounts")) as string[];
  const holder = (options.holder ?? accounts[0])?.toLowerCase();
  if (holder === undefined) throw new Error("the node has no unlocked account");
  const code = creationCode(construction(holder, supply), runtime({ symbol, name, decimals }));
  const keccak = async (hex: string) => (await callNode(rpcUrl, "web3_sha3", [hex])) as string;
  const codeHash = (await keccak(`0x${code}`)).slice(2);
  const address = `0x${(await keccak(`0xff${DEPLOYER.slice(2)}${SALT}${codeHash}`)).slice(-40)}`;
  if (!(await isDeployed(rpcUrl, address))) {
    await sendFrom(rpcUrl, { from: holder, to: DEPLOYER, data: `0x${SALT}${code}` });
    if (!(await isDeployed(rpcUrl, address))) throw new Error("the test token was not deployed");
  }
  return { symbol, name, decimals, address, holder };
};

/** Calldata of an ERC-20 transfer. */
export const transferData = (to: string, value: bigint): string =>
  `0xa9059cbb${to.toLowerCase().slice(2).padStart(64, "0")}${value.toString(16).padStart(64, "0")}`;

const isDeployed = async (rpcUrl: string, address: string): Promise<boolean> =>
  (await callNode(rpcUrl, "eth_getCode", [address, "latest"])) !== "0x";

const MINED_TIMEOUT_MS = 30_000;

// A node numbers an account's transactions as they come in; two at once can get the same number, and one is refused.
const turns = new Map<string, Promise<unknown>>();

/** Sends from an unlocked account, one at a time, and waits until the transaction is in a block; its hash. */
export const sendFrom = (rpcUrl: string, transaction: DevTransaction): Promise<string> => {
  const account = `${rpcUrl} ${transaction.from.toLowerCase()}`;
  const before = turns.get(account) ?? Promise.resolve();
  const turn = before.catch(() => {}).then(() => sendNow(rpcUrl, transaction));
  turns.set(account, turn);
  return turn;
};

const sendNow = async (rpcUrl: string, transaction: DevTransaction): Promise<string> => {
  const hash = (await callNode(rpcUrl, "eth_sendTransaction", [transaction])) as string;
  const until = Date.now() + MINED_TIMEOUT_MS;
  while (Date.now() < until) {
    if ((await callNode(rpcUrl, "eth_getTransactionReceipt", [hash])) !== null) return hash;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the transaction was not mined in time");
};
