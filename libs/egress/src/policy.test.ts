import { expect, test } from "@jest/globals";
import { createPolicy } from "./policy.ts";

const policy = createPolicy({ ownHosts: ["api.pay.example"] });
function check(raw: string) {
  return policy.check(raw);
}

test.each([
  ["https://example.com", "https://example.com/"],
  ["HTTPS://Example.COM/Hook?a=1", "https://example.com/Hook?a=1"],
  ["https://example.com:443/", "https://example.com/"],
  ["https://example.com:8443/x", "https://example.com:8443/x"],
  ["https://example.com:1024/", "https://example.com:1024/"],
  ["https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"],
  ["https://example.com/%0d%0aX-Evil:%201", "https://example.com/%0d%0aX-Evil:%201"],
  ["https://127.0.0.1.nip.example/", "https://127.0.0.1.nip.example/"],
])("%s is kept as %s", (raw, url) => {
  expect(check(raw)).toEqual({ url });
});

const HOST = "must name a public host";
const NOT_URL = "must be an absolute https URL";
const SCHEME = "must use https";
const SPELLING = "must not contain white space, control characters or backslashes";
const PORT = "must use port 443 or a port above 1023 that is not reserved for other services";

test.each<[string, string[]]>([
  [
    HOST,
    [
      // Spellings of IPv4 addresses.
      "https://2130706433",
      "https://0x7f000001",
      "https://0177.0.0.1",
      "https://017700000001",
      "https://0x7f.1",
      "https://127.1",
      "https://127.0.1",
      "https://0",
      "https://127.0.0.1",
      "https://1.1.1.1",
      "https://１２７.０.０.１",
      "https://①②⑦.⓪.⓪.①",
      "https://127。0。0。1",
      "https://127%2e0%2e0%2e1",
      "https://127.0.0.1.",
      "https://127.0.0.1\u200b",
      // IPv6, with and without IPv4 inside.
      "https://[::1]",
      "https://[::]",
      "https://[::ffff:127.0.0.1]",
      "https://[::ffff:169.254.169.254]",
      "https://[::127.0.0.1]",
      "https://[::ffff:0:7f00:1]",
      "https://[::5efe:7f00:1]",
      "https://[64:ff9b::7f00:1]",
      "https://[64:ff9b:1::1]",
      "https://[2002:7f00:1::1]",
      "https://[fd00:ec2::254]",
      "https://[fe80::1]",
      "https://[ff02::1]",
      "https://[2606:4700:4700::1111]",
      // Names that only a private resolver knows, and our own.
      "https://localhost",
      "https://localhost.",
      "https://foo.localhost",
      "https://payments",
      "https://metadata.google.internal",
      "https://payments.shop.svc",
      "https://payments.shop.svc.cluster.local",
      "https://printer.lan",
      "https://payments.default",
      "https://a.consul",
      "https://relay.mail",
      "https://1.0.0.127.in-addr.arpa",
      "https://api.pay.example",
      "https://API.pay.example/v1/payments",
      "https://example.com.",
      "https://example..com",
      `https://${"a".repeat(64)}.example`,
    ],
  ],
  [
    NOT_URL,
    [
      "",
      "example.com",
      "//example.com/x",
      "https:127.0.0.1",
      "https:///127.0.0.1",
      "https://",
      "https://[fe80::1%eth0]",
      "https://[127.0.0.1]",
      "https://256.256.256.256",
      "https://1.2.3.4.5",
      "https://4294967296",
      "https://a%00b.example",
      "https://example.com:65536",
      "javascript:alert(1)",
      "data:text/plain,x",
      "file:///etc/passwd",
    ],
  ],
  [
    SCHEME,
    [
      "http://example.com",
      "ftp://example.com",
      "gopher://example.com",
      "http://127.0.0.1",
      "wss://example.com",
    ],
  ],
  [
    SPELLING,
    [
      "http\ns://127.0.0.1",
      "https://127.0\t.0.1",
      " https://example.com",
      "https://example.com ",
      "https://example.com\\@127.0.0.1",
      "https://1.1.1.1 &@127.0.0.1",
      "https://example.com/\r\nX-Evil: 1",
      "https://example.com/\u0000",
      "https://example.com/\ud800",
    ],
  ],
  [
    "must not contain a user name or password",
    ["https://user:pw@example.com", "https://a@b@127.0.0.1", "https://@example.com"],
  ],
  ["must not contain a fragment", ["https://example.com#@127.0.0.1", "https://example.com/#"]],
  [
    PORT,
    [
      "https://example.com:0",
      "https://example.com:22",
      "https://example.com:25",
      "https://example.com:80",
    ].concat(
      ["5432", "6379", "9092", "2375", "27017"].map((port) => `https://example.com:${port}`),
    ),
  ],
  ["must be at most 2048 characters", [`https://example.com/${"a".repeat(2_029)}`]],
])("refused because it %s", (refused, urls) => {
  expect(urls.map((url) => [url, check(url)])).toEqual(urls.map((url) => [url, { refused }]));
});

test("a URL that only grows too long when it is encoded is refused too", () => {
  expect(check(`https://example.com/${"ä".repeat(1_000)}`)).toEqual({
    refused: "must be at most 2048 characters",
  });
});

test("loopback needs its own permission, and http another", () => {
  const loopback = createPolicy({ allowHosts: ["localhost"] });
  expect(loopback.check("https://127.0.0.1:3000/hook").url).toBe("https://127.0.0.1:3000/hook");
  expect(loopback.check("https://localhost:3000").url).toBe("https://localhost:3000/");
  expect(loopback.check("https://[::1]:3000").url).toBe("https://[::1]:3000/");
  expect(loopback.check("http://127.0.0.1:3000").refused).toBe(SCHEME);
  expect(loopback.check("https://10.0.0.1").refused).toBe(HOST);
  const plain = createPolicy({ allowHosts: ["localhost"], allowHttp: true });
  expect(plain.check("http://localhost:3000/hook").url).toBe("http://localhost:3000/hook");
  expect(plain.check("http://example.com").refused).toBe(SCHEME);
  expect(createPolicy({ allowHttp: true }).check("http://127.0.0.1:3000").refused).toBe(SCHEME);
});

test("the operator's exceptions hold for exactly what they name", () => {
  const {
    check: checkOwn,
    permits,
    trusts,
  } = createPolicy({
    allowHosts: ["hooks.corp.internal", "10.1.0.0/16", "fd00::5"],
  });
  expect(checkOwn("https://hooks.corp.internal:22/x").url).toBe("https://hooks.corp.internal:22/x");
  expect(checkOwn("https://other.corp.internal").refused).toBe(HOST);
  expect(checkOwn("https://10.1.2.3").url).toBe("https://10.1.2.3/");
  expect(checkOwn("https://10.2.2.3").refused).toBe(HOST);
  expect(checkOwn("https://[fd00::5]").url).toBe("https://[fd00::5]/");
  expect([permits("10.1.9.9", "a.example"), permits("10.2.9.9", "a.example")]).toEqual([
    true,
    false,
  ]);
  expect(permits("10.2.9.9", "hooks.corp.internal")).toBe(true);
  expect([trusts("hooks.corp.internal"), trusts("a.example")]).toEqual([true, false]);
});

test("an exception that is no host is refused when it is read, not when it is needed", () => {
  expect(() => createPolicy({ allowHosts: ["10.0.0.0/99"] })).toThrow();
});

test("a denied range is not called, whatever else allows it", () => {
  const policy = createPolicy({
    allowHosts: ["shop.example.com", "192.0.2.0/24"],
    denyRanges: ["1.1.1.0/24", "2606:4700::/32", "192.0.2.7"],
  });
  for (const address of ["1.1.1.1", "::ffff:1.1.1.1", "2606:4700::1111", "192.0.2.7"]) {
    expect(policy.permits(address, "shop.example.com")).toBe(false);
  }
  expect(policy.permits("192.0.2.8", "other.example.com")).toBe(true);
  expect(policy.permits("9.9.9.9", "other.example.com")).toBe(true);
});
