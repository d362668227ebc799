import { expect, test } from "@jest/globals";
import { isLoopback, isPublicAddress } from "./address.ts";

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "2001:4:112::1",
  "::ffff:1.1.1.1",
  "64:ff9b::101:101",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.1",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
  expect(isPublicAddress(`::ffff:${address}`)).toBe(false);
});

test.each([
  "::",
  "::1",
  "::7f00:1", // IPv4-compatible
  "::ffff:127.0.0.1", // IPv4-mapped
  "::ffff:a9fe:a9fe",
  "::ffff:0:7f00:1", // IPv4-translated
  "::5efe:7f00:1", // ISATAP
  "1::1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "100::1",
  "2001::1", // Teredo
  "2001:2::1", // benchmarks
  "2001:db8::1",
  "2002:7f00:1::1", // 6to4
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254", // a cloud's metadata service
  "fe80::1",
  "fec0::1",
  "ff02::1",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "",
  "example.com",
  "127.1",
  "0x7f.1",
  "2130706433",
  "fe80::1%eth0",
  "1.1.1.1%1",
  "[::1]",
])("%p is not an address at all", (text) => {
  expect(isPublicAddress(text)).toBe(false);
  expect(isLoopback(text)).toBe(false);
});

test("loopback is 127.0.0.0/8 and ::1, also when written as mapped", () => {
  expect(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"].every(isLoopback)).toBe(true);
  expect(["128.0.0.1", "::", "::2", "10.0.0.1"].some(isLoopback)).toBe(false);
});
