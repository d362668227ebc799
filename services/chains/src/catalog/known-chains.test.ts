import { expect, test } from "@jest/globals";
import { getAddress } from "ethers";
import { KNOWN_CHAINS } from "./known-chains.ts";

test("every token address carries its right checksum", () => {
  for (const { tokens } of KNOWN_CHAINS) {
    for (const { address } of tokens) expect(getAddress(address.toLowerCase())).toBe(address);
  }
});

test("a chain is listed once, and a token once per chain", () => {
  expect(new Set(KNOWN_CHAINS.map(({ chainId }) => chainId)).size).toBe(KNOWN_CHAINS.length);
  for (const { tokens } of KNOWN_CHAINS) {
    expect(new Set(tokens.map(({ address }) => address)).size).toBe(tokens.length);
  }
});

test("public addresses are https and carry no key", () => {
  for (const { rpcUrl, blockExplorerUrl } of KNOWN_CHAINS) {
    expect(rpcUrl).toMatch(/^https:\/\/[a-z0-9.-]+(\/[a-zA-Z/]*)?$/);
    expect(blockExplorerUrl).toMatch(/^https:\/\//);
  }
});
