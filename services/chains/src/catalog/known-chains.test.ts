import { expect, test } from "@jest/globals";
import { getAddress } from "ethers";
import { CHAIN_POLICIES } from "./chain-policies.ts";
import { KNOWN_CHAINS } from "./known-chains.ts";

test("every token address carries its right checksum", () => {
  for (const { tokens } of KNOWN_CHAINS) {
    for (const { address } of tokens) expect(getAddress(address.toLowerCase())).toBe(address);
  }
});

test("every chain with a policy has a network, and lists a token once", () => {
  expect(KNOWN_CHAINS.map(({ chainId }) => `${chainId}`)).toEqual(Object.keys(CHAIN_POLICIES));
  for (const { tokens } of KNOWN_CHAINS) {
    expect(new Set(tokens.map(({ address }) => address)).size).toBe(tokens.length);
  }
});

test("two chains never share a name or an address", () => {
  for (const field of ["name", "rpcUrl"] as const) {
    expect(new Set(KNOWN_CHAINS.map((chain) => chain[field])).size).toBe(KNOWN_CHAINS.length);
  }
});

test("public addresses are https and carry no key", () => {
  for (const { rpcUrl, blockExplorerUrl } of KNOWN_CHAINS) {
    expect(rpcUrl).toMatch(/^https:\/\/[a-z0-9.-]+(\/[a-zA-Z/]*)?$/);
    if (blockExplorerUrl !== null) expect(blockExplorerUrl).toMatch(/^https:\/\//);
  }
});
