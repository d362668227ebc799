// The public chains that the service supports: their finality, block times and well-known tokens, by hand. Names,
// currencies and public addresses come from a maintained list (tools/networks.mjs). Token addresses carry their
// checksum.
import type { FinalityPolicy } from "./domain/finality.ts";

export interface TokenEntry {
  symbol: string;
  name: string;
  address: string;
  decimals: number;
  /** Whether its contract keeps a part of each transfer. */
  feeOnTransfer?: boolean | undefined;
}

export interface ChainPolicy {
  blockTimeMs: number;
  finality: FinalityPolicy;
  isTestnet?: true;
  /** false where the chain refuses bytes behind the arguments of a call. */
  trailingData?: boolean;
  /** Instead of the name in the list. */
  name?: string;
  /** For wallets and browsers, instead of the first endpoint of the list that needs no key. */
  rpcUrl?: string;
  tokens?: readonly TokenEntry[];
}

function usdc(address: string, decimals = 6): TokenEntry {
  return { symbol: "USDC", name: "USD Coin", address, decimals };
}

function usdt(address: string, decimals = 6): TokenEntry {
  return { symbol: "USDT", name: "Tether USD", address, decimals };
}

function dai(address: string): TokenEntry {
  return { symbol: "DAI", name: "Dai Stablecoin", address, decimals: 18 };
}

function eurc(address: string): TokenEntry {
  return { symbol: "EURC", name: "EURC", address, decimals: 6 };
}

/** A number of blocks decides: on a rollup, whose sequencer would have to take its own blocks back, few will do. */
function depth(confirmations: number, blockTimeMs: number): ChainPolicy {
  return { blockTimeMs, finality: { mode: "confirmations", confirmations } };
}

/** The chain's own tag decides; the depth replaces it while a provider has no tag. */
function finalized(confirmations: number, blockTimeMs: number): ChainPolicy {
  return { blockTimeMs, finality: { mode: "finalized", confirmations } };
}

function testnet(blockTimeMs: number): ChainPolicy {
  return { ...depth(3, blockTimeMs), isTestnet: true };
}

/** By chain id. */
export const CHAIN_POLICIES: Readonly<Record<number, ChainPolicy>> = {
  // Ethereum
  1: {
    ...depth(12, 12_000),
    rpcUrl: "https://ethereum-rpc.publicnode.com",
    tokens: [
      usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
      usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
      dai("0x6B175474E89094C44Da98b954EedeAC495271d0F"),
      eurc("0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c"),
    ],
  },

  // Rollups of Ethereum
  10: {
    ...depth(10, 2_000),
    name: "OP Mainnet",
    tokens: [
      usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
      usdt("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
      dai("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"),
    ],
  },
  130: depth(20, 1_000),
  169: depth(10, 10_000),
  185: depth(10, 2_000),
  196: depth(20, 1_000),
  232: depth(20, 1_000),
  252: depth(10, 2_000),
  288: depth(10, 2_000),
  324: depth(20, 1_000),
  360: depth(10, 2_000),
  388: depth(20, 1_000),
  480: depth(10, 2_000),
  690: depth(10, 2_000),
  1088: depth(10, 4_000),
  1135: depth(10, 2_000),
  1625: depth(20, 1_000),
  1750: depth(10, 2_000),
  1868: depth(10, 2_000),
  1923: depth(10, 2_000),
  2741: depth(20, 1_000),
  2818: depth(20, 1_000),
  5000: depth(10, 2_000),
  5330: depth(10, 2_000),
  7560: depth(10, 2_000),
  8453: {
    ...depth(10, 2_000),
    tokens: [
      usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
      dai("0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"),
      eurc("0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"),
    ],
  },
  33139: depth(20, 250),
  34443: depth(10, 2_000),
  42161: {
    ...depth(20, 250),
    tokens: [
      usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
      usdt("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
      dai("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"),
    ],
  },
  42170: depth(20, 250),
  42220: depth(20, 1_000),
  43111: depth(10, 12_000),
  48900: depth(10, 2_000),
  50104: depth(20, 1_000),
  57073: depth(20, 1_000),
  59144: depth(10, 2_000),
  60808: depth(10, 2_000),
  81457: depth(10, 2_000),
  98866: depth(20, 250),
  534352: depth(20, 1_000),
  660279: depth(20, 250),
  7777777: depth(10, 2_000),

  // BNB Smart Chain, whose stablecoins have 18 decimals unlike everywhere else, and its rollup
  56: {
    ...finalized(15, 750),
    rpcUrl: "https://bsc-dataseed.bnbchain.org",
    tokens: [
      usdc("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
      usdt("0x55d398326f99059fF775485246999027B3197955", 18),
    ],
  },
  204: depth(40, 250),

  // Polygon: its deepest known reorganisation, from the time before it had finality, went back 157 blocks
  137: {
    ...finalized(200, 2_000),
    rpcUrl: "https://polygon-bor-rpc.publicnode.com",
    tokens: [
      usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
      usdt("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
      dai("0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063"),
    ],
  },
  109: finalized(200, 5_000),

  // Chains with a consensus that makes a block final in moments
  14: depth(12, 1_800),
  25: depth(12, 600),
  43114: {
    ...depth(12, 1_500),
    tokens: [
      usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
      usdt("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
    ],
  },
  143: depth(12, 400),
  146: depth(12, 600),
  250: depth(12, 1_000),
  747: depth(12, 1_000),
  1329: depth(12, 400),
  1776: depth(12, 700),
  2222: depth(12, 6_000),
  4689: depth(12, 2_500),
  7000: depth(12, 4_000),
  8217: depth(12, 1_000),
  9745: depth(12, 1_000),
  32769: depth(12, 1_000),
  42793: depth(12, 500),
  80094: depth(12, 2_000),

  // Chains with finality of their own
  50: finalized(64, 2_000),
  100: finalized(64, 5_000),
  369: finalized(64, 10_000),
  1284: finalized(32, 6_000),
  1285: finalized(32, 6_000),
  2020: finalized(64, 3_000),

  // Chains that only depth makes safe
  30: depth(30, 25_000),
  122: depth(30, 5_000),
  1116: depth(42, 3_000),
  13371: depth(30, 2_000),
  88888: depth(42, 3_000),

  // Testnets
  97: testnet(750),
  300: testnet(1_000),
  1301: testnet(1_000),
  4801: testnet(2_000),
  5003: testnet(2_000),
  10143: testnet(400),
  10200: testnet(5_000),
  43113: testnet(1_500),
  59141: testnet(2_000),
  80002: {
    ...testnet(2_000),
    name: "Polygon Amoy",
    tokens: [usdc("0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582")],
  },
  80069: testnet(2_000),
  84532: {
    ...testnet(2_000),
    tokens: [usdc("0x036CbD53842c5426634e7929541eC2318f3dCF7e")],
  },
  421614: {
    ...testnet(250),
    tokens: [usdc("0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d")],
  },
  534351: testnet(1_000),
  560048: testnet(12_000),
  763373: testnet(1_000),
  11155111: {
    ...testnet(12_000),
    name: "Sepolia",
    rpcUrl: "https://ethereum-sepolia-rpc.publicnode.com",
    tokens: [usdc("0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238")],
  },
  11155420: {
    ...testnet(2_000),
    tokens: [usdc("0x5fd84259d66Cd46123540766Be93DFE6D43130D7")],
  },
  168587773: testnet(2_000),
};
