import { expect, test } from "@jest/globals";
import { ConfigError, readConfig } from "@pay/process";
import { z } from "zod";
import { catalogConfig } from "./config.ts";
import { configuredChains } from "./configured-chains.ts";

const KEY = "https://provider.example/v2/very-secret-key";
const TOKEN = {
  symbol: "TUSD",
  name: "Test Dollar",
  decimals: 6,
  address: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};
function read(environment: Record<string, string>) {
  return readConfig(z.object(catalogConfig), environment);
}

function parseChains(environment: Record<string, string>) {
  return configuredChains(read(environment));
}

function listFaults(environment: Record<string, string>): readonly string[] {
  try {
    parseChains(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

test("without providers there are no chains", () => {
  expect(parseChains({})).toEqual([]);
});

test("a chain is there when it has a provider, with its well-known tokens and policy", () => {
  const [base] = parseChains({ CHAINS_PROVIDERS: JSON.stringify({ 8453: [KEY] }) });
  expect(base).toMatchObject({
    chainId: 8_453,
    name: "Base",
    providerUrls: [KEY],
    rpcUrl: "https://mainnet.base.org",
    finality: { mode: "confirmations", confirmations: 10 },
  });
  expect(base?.tokens.map(({ symbol }) => symbol)).toContain("USDC");
});

test("the operator's tokens and policies win over the well-known ones", () => {
  const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
  const [base] = parseChains({
    CHAINS_PROVIDERS: JSON.stringify({ 8453: [KEY] }),
    CHAINS_TOKENS: JSON.stringify({
      8453: [TOKEN, { ...TOKEN, symbol: "USDC.x", address: usdc.toLowerCase() }],
    }),
    CHAINS_FINALITY: JSON.stringify({
      8453: { mode: "safe", confirmations: 100, highValueUnits: "5000" },
    }),
  });
  expect(base?.finality).toEqual({ mode: "safe", confirmations: 100, highValueUnits: 5_000n });
  const symbols = base?.tokens.map(({ symbol }) => symbol);
  expect(symbols).toEqual(expect.arrayContaining(["TUSD", "USDC.x"]));
  expect(symbols).not.toContain("USDC");
});

test("a development chain comes with its own tokens, one confirmation and no explorer", () => {
  const [local] = parseChains({
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: "http://127.0.0.1:8545", tokens: [TOKEN] }),
  });
  expect(local).toMatchObject({
    chainId: 31_337,
    rpcUrl: "http://127.0.0.1:8545",
    isTestnet: true,
    blockExplorerUrl: null,
    finality: { mode: "confirmations", confirmations: 1 },
    tokens: [TOKEN],
  });
});

test.each([
  [{ CHAINS_PROVIDERS: `{"1": "${KEY}"}` }, "CHAINS_PROVIDERS must be JSON like"],
  [{ CHAINS_PROVIDERS: `{"1": ["ftp://${KEY}"]}` }, "CHAINS_PROVIDERS must be JSON like"],
  [{ CHAINS_PROVIDERS: `{"1": ["wss://secret.example"]}` }, "CHAINS_PROVIDERS must be JSON like"],
  [
    { CHAINS_PROVIDERS: `{"1": ["${KEY}"], "8453": ["${KEY}", "http://secret.example"]}` },
    "CHAINS_PROVIDERS has an http address for chain 8453 beyond this machine",
  ],
  [
    { CHAINS_LOCAL: '{"rpcUrl": "http://10.0.0.1:8545/secret"}' },
    "CHAINS_LOCAL has an http address beyond this machine",
  ],
  [{ CHAINS_LOCAL: '{"rpcUrl": "http://127.0.0.1.secret.example"}' }, "CHAINS_LOCAL has an http"],
  [{ CHAINS_LOCAL: '{"rpcUrl": "secret", "chain": 1}' }, "wrong: rpcUrl, chain (unknown)"],
  [{ CHAINS_PROVIDERS: `{"1": ["${KEY}"]` }, "CHAINS_PROVIDERS must be JSON like"],
  [{ CHAINS_PROVIDERS: `{"999999": ["${KEY}"]}` }, "CHAINS_PROVIDERS names chain 999999"],
  // As a number it would be the one after it.
  [{ CHAINS_PROVIDERS: `{"9007199254740993": ["${KEY}"]}` }, "CHAINS_PROVIDERS must be JSON like"],
  [{ CHAINS_TOKENS: '{"1": [{"symbol": "X"}]}' }, "CHAINS_TOKENS must be JSON like"],
  [{ CHAINS_TOKENS: '{"999999": []}' }, "CHAINS_TOKENS names chain 999999"],
  [{ CHAINS_FINALITY: '{"1": {"mode": "soon", "confirmations": 1}}' }, "CHAINS_FINALITY must be"],
  [
    { CHAINS_LOCAL: '{"rpcUrl": "http://127.0.0.1:8545", "chainId": 1}' },
    "CHAINS_LOCAL has the id of a public chain",
  ],
])("a fault in %j is reported by name and never by value", (environment, fault) => {
  const faults = listFaults(environment);
  expect(faults.join("; ")).toContain(fault);
  expect(faults.join("; ")).not.toContain("secret");
});

test.each(["http://localhost:8545", "http://127.0.0.1:8545", "http://127.8.9.1", "http://[::1]:1"])(
  "a provider at %s is this machine's and may be asked over http",
  (address) => {
    const [chain] = parseChains({ CHAINS_PROVIDERS: JSON.stringify({ 1: [address] }) });
    expect(chain?.providerUrls).toEqual([address]);
  },
);

test("a provider beyond this machine may be asked over http where that is said expressly", () => {
  const address = "http://10.0.0.1:8545";
  const chains = parseChains({
    CHAINS_ALLOW_HTTP_PROVIDERS: "1",
    CHAINS_PROVIDERS: JSON.stringify({ 1: [address] }),
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: address }),
  });
  expect(chains.map(({ providerUrls }) => providerUrls)).toEqual([[address], [address]]);
});

test("the same address twice is one provider", () => {
  const [chain] = parseChains({ CHAINS_PROVIDERS: JSON.stringify({ 1: [KEY, KEY] }) });
  expect(chain?.providerUrls).toEqual([KEY]);
});
