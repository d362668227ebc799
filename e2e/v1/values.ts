// Invalid values for each kind of field, and valid values that look invalid. A value of kind Raw is JSON text as it
// goes over the wire, for values that JavaScript cannot express.
import { PAYER } from "./product.ts";

export class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
function raw(...texts: string[]): Raw[] {
  return texts.map((text) => new Raw(text));
}

export interface Kind {
  bad: readonly unknown[];
  good: readonly unknown[];
}

export const LONG = 90_000;
const SQL = "'; drop table payments; --";
const MONGO = '{"$ne":null}';
/** Right-to-left override, zero-width joiners, a flood of combining marks, and characters beyond 16 bits. */
const ODD_TEXTS = [
  ...["\u202etxt.exe", "a\u200d\u200bb", `a${"\u0301".repeat(50)}`, "💶🧾", SQL, MONGO],
];
const NOT_TEXTS = [1, 1.5, true, null, [], ["a"], {}];
const CONTROLS = ["a\u0007b", "\u001b[31mred", "a\u007f"];
const UNWRITABLE = raw('"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"');
const CHECKSUMMED = "0x52908400098527886E0F7030069857D2E4169EE7";

function lines(max: number): Kind {
  return {
    bad: [
      ...NOT_TEXTS,
      ...[
        "",
        "   ",
        "a\nb",
        "a\u2028b",
        "x".repeat(max + 1),
        "💶".repeat(max + 1),
        "x".repeat(LONG),
      ],
      ...CONTROLS,
      ...UNWRITABLE,
    ],
    good: ["x".repeat(max), "💶".repeat(max), ...ODD_TEXTS.filter((text) => text.length <= max)],
  };
}

function integers(min: number, max: number): Kind {
  return {
    bad: [
      ...[min - 1, max + 1, -1, 1.5, true, null, [], {}, "", "1", `${min}`],
      ...raw("1.0", "1e1", "-0", "1e400", "9007199254740993", "-9007199254740993"),
    ],
    good: [min, max],
  };
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

function keys(count: number, text = "x") {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, text]));
}

const addresses: Kind = {
  bad: [
    ...[...NOT_TEXTS, "", "0x", "vitalik.eth", "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS", SQL],
    ...[`0X${PAYER.slice(2)}`, PAYER.slice(0, -1), `${PAYER}0`, ` ${PAYER}`, `${PAYER}\n`],
    ...[CHECKSUMMED.replace("E", "e"), `0x${"0".repeat(40)}`, "x".repeat(LONG)],
    ...raw(`"${PAYER}\\u0000"`),
  ],
  good: [PAYER, PAYER.toLowerCase(), CHECKSUMMED, `0x${PAYER.slice(2).toUpperCase()}`],
};

const urls: Kind = {
  bad: [
    ...[1, true, [], {}, "", "shop.example", "//shop.example", "/hooks", "javascript:alert(1)"],
    ...["http://shop.example", "ftp://shop.example", "file:///etc/passwd", "https://"],
    ...["https://user@shop.example", "https://user:pass@shop.example", "https://shop.example#top"],
    ...["https://shop.example:22", "https://shop.example:5432", "https://shop.example:99999"],
    ...["https://localhost", "https://127.0.0.1", "https://127.1", "https://0x7f.1"],
    ...["https://2130706433", "https://017700000001", "https://[::1]", "https://[::ffff:10.0.0.1]"],
    ...["https://10.0.0.1", "https://192.168.1.1", "https://169.254.169.254", "https://0.0.0.0"],
    ...["https://shop", "https://shop.internal", "https://shop.local", "https://shop..example"],
    ...["https://shop.example\\@10.0.0.1", "https://shop .example", "https://shop.example/\u0000"],
    `https://shop.example/${"x".repeat(5_000)}`,
    ...UNWRITABLE,
  ],
  good: [
    "https://shop.example/hooks?a=1",
    "https://münze.example",
    "https://shop.example:8443",
    null,
  ],
};

const HASH = `0x${"ab".repeat(32)}`;

const AMOUNTS = [
  ...[...NOT_TEXTS, "", "0", "0.0", "-1", "+1", "01", " 1", "1 ", "1e3", "1E3", "0x10", ".5"],
  ...["1.", "1,5", "NaN", "Infinity", "\u0661\u0662", "１", "1".repeat(61), "1".repeat(LONG)],
  // Finer than the coin's smallest unit, and more than 2^256 of them.
  ...["0.0000000000000000001", "9".repeat(60), `1.${"1".repeat(37)}`, SQL],
  ...raw('"1\\u0000"'),
];

export const KINDS = {
  amount: {
    bad: AMOUNTS,
    good: ["0.000000000000000001", "1.50", `${2n ** 250n / 10n ** 18n}`],
  },
  refundAmount: { bad: AMOUNTS, good: ["0.0001", "0.00010"] },
  chainId: { ...integers(1, Number.MAX_SAFE_INTEGER), good: [] },
  currency: {
    bad: [
      ...[...NOT_TEXTS, "", "NATIVE", "Native", "ETH", "usdc", SQL, CHECKSUMMED],
      ...[CHECKSUMMED.replace("E", "e"), `0x${"0".repeat(40)}`, "x".repeat(LONG)],
    ],
    good: ["native"],
  },
  address: addresses,
  text: {
    bad: [
      ...[...NOT_TEXTS, "x".repeat(501), "💶".repeat(501), "x".repeat(LONG), ...CONTROLS],
      ...UNWRITABLE,
    ],
    good: ["", "a\n\tb", "x".repeat(500), "💶".repeat(500), ...ODD_TEXTS],
  },
  name: lines(100),
  // Compared as exact text, so even blanks are a valid reference.
  reference: { bad: lines(128).bad.filter((value) => value !== "   "), good: lines(128).good },
  metadata: {
    bad: [
      ...[1, true, null, "", "{}", [], keys(51), { ["k".repeat(41)]: 1 }, { a: "x".repeat(501) }],
      ...[nested(6), { a: [[[[[1]]]]] }, keys(17, "x".repeat(490)), keys(50, "💶".repeat(100))],
      ...raw('{"__proto__":{"a":1}}', '{"a":{"constructor":1}}', '{"prototype":1}'),
      ...raw('{"a":1e400}', '{"a":"\\u0000"}', '{"\\ud800":1}'),
    ],
    good: [
      ...[{}, keys(50), { ["k".repeat(40)]: "x".repeat(500) }, nested(5)],
      ...[{ a: SQL, $ne: 1, b: [null, true, 1.5] }, { a: ODD_TEXTS }],
    ],
  },
  flag: { bad: ["true", "", 0, 1, null, [], {}], good: [true, false] },
  minutes: integers(1, 10_080),
  lifetime: integers(5, 1_440),
  grace: { ...integers(0, 604_800), good: [] },
  customerId: {
    bad: [...NOT_TEXTS, "", "cust_", `cust_${"a".repeat(23)}`, `pay_${"a".repeat(24)}`, SQL],
    good: [],
  },
  returnUrl: {
    bad: [
      ...[
        ...NOT_TEXTS,
        "",
        "x",
        "http://shop.example/done",
        "//shop.example",
        "javascript:alert(1)",
      ],
      ...[
        "https://user@shop.example",
        "https://shop.example/\n",
        `https://shop.example/${"x".repeat(LONG)}`,
      ],
    ],
    good: ["https://shop.example/orders/7?paid=1#top"],
  },
  locale: { bad: [...NOT_TEXTS, "", "EN", "pt", "tlh", SQL], good: ["en", "pt-BR", "ar"] },
  email: {
    bad: [
      ...[...NOT_TEXTS, "", "zoe", "zoe@", "@shop.example", "zoe@shop", "a b@shop.example"],
      ...["zoe@shop.example\r\nBcc: all@shop.example", "zoe@shop.example\u0000", SQL],
      ...[`${"z".repeat(250)}@shop.example`, `zoe@${"s".repeat(LONG)}.example`],
    ],
    good: ["zoe@shop.example", "zoe+mugs@mail.shop.example"],
  },
  txHash: {
    bad: [
      ...[...NOT_TEXTS, "", HASH.slice(2), HASH.slice(0, -1), `${HASH}0`, `0X${HASH.slice(2)}`],
      ...[HASH.replace("a", "g"), ` ${HASH}`, `${HASH}\n`, "x".repeat(LONG)],
    ],
    good: [],
  },
  signature: { bad: [...NOT_TEXTS, "0x", "0x0", "0xgg", `0x${"a".repeat(LONG)}`], good: [] },
  clientSecret: { bad: [...NOT_TEXTS, "x".repeat(201), "x".repeat(LONG)], good: [] },
  // Any text may be an id; an id of the wrong form does not exist.
  paymentId: { bad: [...NOT_TEXTS, "", "a\nb", "x".repeat(129), ...CONTROLS], good: [] },
  branding: {
    bad: [
      ...[1, true, "", [], { color: "#ffffff" }, { primaryColor: "red;}" }],
      ...[{ primaryColor: "#GGGGGG" }, { primaryColor: "#fff" }, { primaryColor: 1 }],
      ...[{ logoUrl: "http://shop.example/a.png" }, { logoUrl: "javascript:alert(1)" }],
      ...[{ displayName: "x".repeat(61) }, { displayName: "" }, { theme: "blue" }, { theme: null }],
      ...[
        { supportUrl: "https://user@shop.example" },
        { supportUrl: `https://a.example/${"x".repeat(2_100)}` },
      ],
    ],
    good: [{ primaryColor: "#aBcDeF", theme: "dark", displayName: "Mugs" }, {}, null],
  },
  origins: {
    bad: [
      ...[1, true, null, "", "https://shop.example", {}, [1], [null], [""], ["*"], ["null"]],
      ...[["https://shop.example/path"], ["http://shop.example"], ["https://*"], ["https://*.com"]],
      ...[["https://shop.example?x"], ["https://user@shop.example"], ["ftp://shop.example"]],
      [`https://${"x".repeat(300)}.example`],
      Array.from({ length: 51 }, (_, at) => `https://shop-${at}.example`),
    ],
    good: [[], ["https://shop.example", "http://localhost:3000", "https://*.shop.example"]],
  },
  wallets: {
    bad: [
      ...[1, null, CHECKSUMMED, {}, [1], [null], [""], ["0x"], [CHECKSUMMED.slice(0, -1)]],
      ...[[CHECKSUMMED.replace("E", "e")], [SQL], Array.from({ length: 21 }, () => CHECKSUMMED)],
    ],
    good: [[], [CHECKSUMMED, CHECKSUMMED.toLowerCase()]],
  },
  url: urls,
  endpointUrl: {
    bad: [null, ...urls.bad.filter((value) => value !== null)],
    good: ["https://receiver.invalid/other?a=1"],
  },
  events: {
    bad: [
      ...[1, true, null, "", "payment.confirmed", {}, ["*"], ["payment"], [1], ["ping"]],
      [Array.from({ length: 1_000 }, () => "payment.confirmed")],
    ],
    good: [[], ["payment.confirmed", "payment.confirmed"]],
  },
  // Whether a right one succeeds depends on the payment.
  action: { bad: [...NOT_TEXTS, "", "Accept", "refund", SQL], good: [] },
  claims: { bad: [...NOT_TEXTS, "", "HOLD", SQL], good: ["hold"] },
  scheme: { bad: [...NOT_TEXTS, "", "V1", "sha1", SQL], good: ["v1", "sha256"] },
  since: {
    bad: [...NOT_TEXTS, "", "today", "2026-13-01T00:00:00Z", "2026-01-31", "1769860800", SQL],
    good: ["2026-01-31T12:00:00+01:00"],
  },
  sso: {
    bad: [
      ...[1, true, "", [], {}, { issuer: "https://id.example" }, { audience: "shop" }],
      ...urls.bad
        .filter((value) => typeof value === "string")
        .map((issuer) => ({ issuer, audience: "shop" })),
      { issuer: "https://id.example", audience: "" },
      { issuer: "https://id.example", audience: "shop", jwksUrl: "http://id.example/keys" },
      { issuer: "https://id.example", audience: "shop", secret: "s" },
      { issuer: "https://id.example?a=1", audience: "shop" },
    ],
    good: [{ issuer: "https://id.example", audience: "shop", jwksUrl: null }, null],
  },
  /** Addresses of the merchant's own: what else is a good value depends on what it has. */
  ownAddress: { bad: addresses.bad, good: [] },
  keyType: { bad: [...NOT_TEXTS, "", "Secret", "restricted", SQL], good: [] },
  keyMode: { bad: [...NOT_TEXTS, "", "Live", "production"], good: [] },
  scopes: {
    bad: [
      1,
      true,
      null,
      "",
      "payments:read",
      {},
      [],
      ["*"],
      ["payments"],
      [1],
      ["payments:read", "x"],
    ],
    good: [["payments:read", "payments:read"]],
  },
  token: { bad: [...NOT_TEXTS, ""], good: [] },
  subject: {
    bad: [...NOT_TEXTS, "", "s".repeat(256), "s".repeat(LONG), ...UNWRITABLE],
    good: ["auth0|zoe", "s".repeat(255), "a\nb", ...ODD_TEXTS],
  },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

/** Which kind each field of each body is. */
export const BODY_FIELDS: Record<string, Record<string, KindName>> = {
  "POST /v1/payments": {
    ...{ amount: "amount", chainId: "chainId", currency: "currency", recipientAddress: "address" },
    ...{ description: "text", metadata: "metadata", qrMode: "flag", orderId: "reference" },
    ...{ expiresInMinutes: "minutes", customerId: "customerId" },
    ...{ returnUrl: "returnUrl", locale: "locale" },
  },
  "POST /v1/payments/{id}/confirm": {
    ...{ clientSecret: "clientSecret", txHash: "txHash", payerAddress: "address" },
  },
  "POST /v1/payments/{id}/extend": { clientSecret: "clientSecret" },
  "POST /v1/payments/{id}/handoff": { clientSecret: "clientSecret" },
  "POST /v1/payments/{id}/open": { code: "token" },
  "POST /v1/payments/{id}/payer": {
    ...{ clientSecret: "clientSecret", payerAddress: "address", signature: "signature" },
  },
  "POST /v1/payments/{id}/resolve": { action: "action" },
  "POST /v1/payments/{id}/transaction": { txHash: "txHash", payerAddress: "address" },
  "POST /v1/customers": {
    ...{ walletAddress: "address", email: "email", displayName: "name", metadata: "metadata" },
  },
  "PUT /v1/customers/{id}": { displayName: "name", metadata: "metadata" },
  "POST /v1/refunds": {
    ...{
      paymentId: "paymentId",
      amount: "refundAmount",
      reason: "text",
      destinationAddress: "address",
    },
  },
  "POST /v1/refunds/{id}/transaction": { txHash: "txHash" },
  "POST /v1/settlements": {
    ...{ chainId: "chainId", currency: "currency", amount: "refundAmount", metadata: "metadata" },
    ...{ sourceAddress: "ownAddress", destinationAddress: "ownAddress" },
  },
  "POST /v1/settlements/{id}/transaction": { txHash: "txHash" },
  "POST /v1/settlement-destinations": { chainId: "chainId", address: "ownAddress", label: "name" },
  "POST /v1/transfers/{id}/assign": { paymentId: "paymentId", refundId: "paymentId" },
  "PUT /v1/projects/me": {
    ...{ name: "name", branding: "branding", allowedOrigins: "origins", callbackUrl: "url" },
    ...{ paymentLifetimeMinutes: "lifetime", sso: "sso", payoutWallets: "wallets" },
    unsignedClaims: "claims",
  },
  "POST /v1/projects/me/keys": {
    ...{ type: "keyType", mode: "keyMode", scopes: "scopes", name: "name" },
  },
  "POST /v1/projects/me/keys/{id}/roll": { graceSeconds: "grace" },
  "POST /v1/webhook-endpoints": {
    ...{ url: "endpointUrl", events: "events", signatureScheme: "scheme", enabled: "flag" },
  },
  "PUT /v1/webhook-endpoints/{id}": {
    ...{ url: "endpointUrl", events: "events", signatureScheme: "scheme", enabled: "flag" },
  },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": { overlapSeconds: "grace" },
  "POST /v1/webhook-endpoints/{id}/recover": { since: "since", dryRun: "flag" },
  "POST /v1/auth/sso": { token: "token" },
  "POST /v1/auth/sessions/revoke": { subject: "subject" },
};

const page = { bad: ["0", "-1", "1.5", "1e9", "abc", "", "NaN", "+1", "01", "1".repeat(20)] };
const time = { bad: ["", "today", "2026-13-01T00:00:00Z", "2026-01-31", "1769860800", SQL] };
function id(...prefixes: string[]) {
  const bad = prefixes.flatMap((prefix) => [`${prefix}_`, `${prefix}_${"a".repeat(23)}`]);
  return { bad: ["", ...bad, SQL] };
}

const word = { bad: ["", "x".repeat(129), "a\nb", "a\u0007"] };
const HASHES = { bad: ["", "0x", HASH.slice(0, -1), SQL] };
function pagesOf(prefix: string) {
  return { page, limit: { bad: [...page.bad, "101"] }, after: id(prefix) };
}

const list = { bad: ["", "x", "created,x", ",", "status", SQL] };

/** And each parameter of each query. */
export const QUERY_FIELDS: Record<string, Record<string, { bad: readonly string[] }>> = {
  "GET /v1/payments": {
    ...{ ...pagesOf("pay"), status: list, expand: list },
    ...{ orderId: word, chainId: page, createdFrom: time, createdTo: time },
    ...{ txHash: HASHES, customerId: id("cust") },
  },
  "POST /v1/payments": { expand: list },
  "GET /v1/payments/{id}": { expand: list },
  "GET /v1/customers": {
    ...{ ...pagesOf("cust"), expand: list },
    walletAddress: { bad: ["", "0x", CHECKSUMMED.replace("E", "e"), SQL] },
  },
  "GET /v1/customers/{id}": { expand: list },
  "GET /v1/refunds": { ...pagesOf("refund"), expand: list, status: list, paymentId: word },
  "GET /v1/refunds/{id}": { expand: list },
  "POST /v1/refunds": { expand: list },
  "GET /v1/settlements": { ...pagesOf("stl"), expand: list, status: list, chainId: page },
  "GET /v1/settlements/{id}": { expand: list },
  "POST /v1/settlements": { expand: list },
  "GET /v1/settlement-destinations": pagesOf("dst"),
  "GET /v1/transfers": {
    ...{ ...pagesOf("tr"), chainId: page, unmatched: { bad: ["", "yes", "1", "TRUE", SQL] } },
  },
  "GET /v1/projects/me": { expand: list },
  "GET /v1/projects/me/keys": pagesOf("key"),
  "GET /v1/webhook-endpoints": pagesOf("we"),
  "GET /v1/webhook-endpoints/{id}/changes": {
    ...{ page, limit: { bad: [...page.bad, "101"] } },
  },
  "GET /v1/webhook-endpoints/{id}/deliveries": {
    ...{ ...pagesOf("del"), eventId: id("evt"), resourceId: id("pay", "refund", "stl", "cust") },
    ...{ state: list, type: list, from: time, to: time },
  },
  "GET /v1/events": { limit: { bad: [...page.bad, "101"] }, after: id("evt") },
  "GET /v1/events/stream": { after: id("evt") },
};
