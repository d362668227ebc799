import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createAuthority } from "./certificates.ts";

test("an issued certificate is signed by its authority, is none itself, and fits its key", () => {
  const authority = createAuthority("Shop authority");
  const ca = new X509Certificate(authority.ca);
  const { cert, key } = authority.issue({ names: ["shop.example"] });
  const issued = new X509Certificate(cert);
  expect(ca.ca).toBe(true);
  expect(ca.subject).toBe("CN=Shop authority");
  expect(issued.ca).toBe(false);
  expect(issued.checkIssued(ca)).toBe(true);
  expect(issued.verify(ca.publicKey)).toBe(true);
  expect(issued.checkPrivateKey(createPrivateKey(key))).toBe(true);
});

test("a certificate holds for each of its names and for no other", () => {
  const names = ["shop.example", "127.0.0.1", "::1"];
  const issued = new X509Certificate(createAuthority().issue({ names }).cert);
  expect(issued.checkHost("shop.example")).toBe("shop.example");
  expect(issued.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(issued.checkIP("::1")).toBe("::1");
  expect(issued.checkHost("other.example")).toBeUndefined();
  expect(issued.checkIP("127.0.0.2")).toBeUndefined();
});

test("a certificate holds between the two moments it is issued for", () => {
  const notBefore = new Date("2020-02-03T04:05:06Z");
  const notAfter = new Date("2050-06-07T08:09:10Z");
  const issued = new X509Certificate(
    createAuthority().issue({ names: ["shop.example"], notBefore, notAfter }).cert,
  );
  expect(issued.validFromDate).toEqual(notBefore);
  expect(issued.validToDate).toEqual(notAfter);
});

test("no two certificates share a serial number", () => {
  const authority = createAuthority();
  const numbers = [1, 2, 3].map(
    () => new X509Certificate(authority.issue({ names: ["shop.example"] }).cert).serialNumber,
  );
  expect(new Set(numbers).size).toBe(3);
});
