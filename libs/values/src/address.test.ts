import { expect, test } from "@jest/globals";
import { addressIn, checksumAddress, isAddress } from "./address.ts";

// The examples of EIP-55 itself.
test.each([
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
])("%s is its own checksum spelling", (address) => {
  expect(checksumAddress(address.toLowerCase())).toBe(address);
  expect(isAddress(address)).toBe(true);
  expect(isAddress(address.toLowerCase())).toBe(true);
  expect(isAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(true);
});

test.each([
  "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae",
  "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS",
  "vitalik.eth",
])("%s is no address", (text) => {
  expect(isAddress(text)).toBe(false);
});

test("a word of a log is an address where nothing is before its digits", () => {
  const digits = "5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  expect(addressIn(`0x${"0".repeat(24)}${digits}`)).toBe(`0x${digits.toLowerCase()}`);
  for (const word of ["", `0x${digits}`, `0x1${"0".repeat(23)}${digits}`]) {
    expect(addressIn(word)).toBeUndefined();
  }
});
