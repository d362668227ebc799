// Well-known chains and tokens. A chain is offered only where a provider is configured, a token only after
// its contract has said the decimals written here. Addresses carry their checksum, so that a mistyped one is found.
import { type ChainId, toChainId } from "@pay/values";
import type { FinalityPolicy } from "./domain/finality.ts";

export interface TokenEntry {
  symbol: string;
  name: string;
  address: string;
  decimals: number;
  /** Whether its contract keeps a part of each transfer. */
  feeOnTransfer?: boolean | undefined;
}

export interface ChainEntry {
  chainId: ChainId;
  name: string;
  symbol: string;
  nativeDecimals: number;
  /** For wallets and browsers: an endpoint that needs no key. */
  rpcUrl: string;
  blockExplorerUrl: string | null;
  isTestnet: boolean;
  blockTimeMs: number;
  finality: FinalityPolicy;
  tokens: readonly TokenEntry[];
}

function usdc(address: string, decimals = 6) {
  return { symbol: "USDC", name: "USD Coin", address, decimals };
}

function usdt(address: string, decimals = 6) {
  return { symbol: "USDT", name: "Tether USD", address, decimals };
}

function dai(address: string) {
  return { symbol: "DAI", name: "Dai Stablecoin", address, decimals: 18 };
}

function eurc(address: string) {
  return { symbol: "EURC", name: "EURC", address, decimals: 6 };
}

function depth(confirmations: number): FinalityPolicy {
  return { mode: "confirmations", confirmations };
}

const ether = { symbol: "ETH", nativeDecimals: 18 };
const testnet = { ...ether, isTestnet: true, finality: depth(3) };

export const KNOWN_CHAINS: readonly ChainEntry[] = [
  {
    chainId: toChainId(1),
    name: "Ethereum",
    ...ether,
    isTestnet: false,
    blockTimeMs: 12_000,
    rpcUrl: "https://ethereum-rpc.publicnode.com",
    blockExplorerUrl: "https://etherscan.io",
    finality: depth(12),
    tokens: [
      usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
      usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
      dai("0x6B175474E89094C44Da98b954EedeAC495271d0F"),
      eurc("0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c"),
    ],
  },
  {
    chainId: toChainId(10),
    name: "OP Mainnet",
    ...ether,
    isTestnet: false,
    blockTimeMs: 2_000,
    rpcUrl: "https://mainnet.optimism.io",
    blockExplorerUrl: "https://optimistic.etherscan.io",
    finality: depth(10),
    tokens: [
      usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
      usdt("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
      dai("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"),
    ],
  },
  {
    chainId: toChainId(56),
    name: "BNB Smart Chain",
    symbol: "BNB",
    nativeDecimals: 18,
    isTestnet: false,
    blockTimeMs: 750,
    rpcUrl: "https://bsc-dataseed.bnbchain.org",
    blockExplorerUrl: "https://bscscan.com",
    finality: { mode: "finalized", confirmations: 15 },
    // Both have 18 decimals here, unlike everywhere else.
    tokens: [
      usdc("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
      usdt("0x55d398326f99059fF775485246999027B3197955", 18),
    ],
  },
  {
    chainId: toChainId(137),
    name: "Polygon",
    symbol: "POL",
    nativeDecimals: 18,
    isTestnet: false,
    blockTimeMs: 2_000,
    rpcUrl: "https://polygon-bor-rpc.publicnode.com",
    blockExplorerUrl: "https://polygonscan.com",
    // Its deepest known reorganisation, before it had finality, went back 157 blocks.
    finality: { mode: "finalized", confirmations: 200 },
    tokens: [
      usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
      usdt("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
      dai("0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063"),
    ],
  },
  {
    chainId: toChainId(8_453),
    name: "Base",
    ...ether,
    isTestnet: false,
    blockTimeMs: 2_000,
    rpcUrl: "https://mainnet.base.org",
    blockExplorerUrl: "https://basescan.org",
    finality: depth(10),
    tokens: [
      usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
      dai("0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"),
      eurc("0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"),
    ],
  },
  {
    chainId: toChainId(42_161),
    name: "Arbitrum One",
    ...ether,
    isTestnet: false,
    blockTimeMs: 250,
    rpcUrl: "https://arb1.arbitrum.io/rpc",
    blockExplorerUrl: "https://arbiscan.io",
    finality: depth(20),
    tokens: [
      usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
      usdt("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
      dai("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"),
    ],
  },
  {
    chainId: toChainId(43_114),
    name: "Avalanche C-Chain",
    symbol: "AVAX",
    nativeDecimals: 18,
    isTestnet: false,
    blockTimeMs: 1_500,
    rpcUrl: "https://api.avax.network/ext/bc/C/rpc",
    blockExplorerUrl: "https://snowtrace.io",
    finality: depth(12),
    tokens: [
      usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
      usdt("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
    ],
  },
  {
    chainId: toChainId(11_155_111),
    name: "Sepolia",
    ...testnet,
    blockTimeMs: 12_000,
    rpcUrl: "https://ethereum-sepolia-rpc.publicnode.com",
    blockExplorerUrl: "https://sepolia.etherscan.io",
    tokens: [usdc("0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238")],
  },
  {
    chainId: toChainId(84_532),
    name: "Base Sepolia",
    ...testnet,
    blockTimeMs: 2_000,
    rpcUrl: "https://sepolia.base.org",
    blockExplorerUrl: "https://sepolia.basescan.org",
    tokens: [usdc("0x036CbD53842c5426634e7929541eC2318f3dCF7e")],
  },
  {
    chainId: toChainId(11_155_420),
    name: "OP Sepolia",
    ...testnet,
    blockTimeMs: 2_000,
    rpcUrl: "https://sepolia.optimism.io",
    blockExplorerUrl: "https://sepolia-optimism.etherscan.io",
    tokens: [usdc("0x5fd84259d66Cd46123540766Be93DFE6D43130D7")],
  },
  {
    chainId: toChainId(421_614),
    name: "Arbitrum Sepolia",
    ...testnet,
    blockTimeMs: 250,
    rpcUrl: "https://sepolia-rollup.arbitrum.io/rpc",
    blockExplorerUrl: "https://sepolia.arbiscan.io",
    tokens: [usdc("0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d")],
  },
  {
    chainId: toChainId(80_002),
    name: "Polygon Amoy",
    symbol: "POL",
    nativeDecimals: 18,
    isTestnet: true,
    blockTimeMs: 2_000,
    finality: depth(3),
    rpcUrl: "https://rpc-amoy.polygon.technology",
    blockExplorerUrl: "https://amoy.polygonscan.com",
    tokens: [usdc("0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582")],
  },
];
