// Invalid values for each kind of field, and valid values that look invalid. A value of kind Raw is JSON text as it
// goes over the wire, for values that JavaScript cannot express.
import { PAYER } from "./product.ts";

export class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
export function raw(...texts: string[]): Raw[] {
  return texts.map((text) => new Raw(text));
}

export interface Kind {
  bad: readonly unknown[];
  good: readonly unknown[];
}

export const LONG = 90_000;
export const SQL = "'; drop table payments; --";
const MONGO = '{"$ne":null}';
/** A zero-width joiner, a flood of combining marks, and characters beyond 16 bits. */
export const ODD_TEXTS = ["a\u200db", `a${"\u0301".repeat(50)}`, "💶🧾", SQL, MONGO];
export const NOT_TEXTS = [1, 1.5, true, null, [], ["a"], {}];
export const CONTROLS = ["a\u0007b", "\u001b[31mred", "a\u007f"];
/** Marks that turn what stands around them. */
export const TURNING = ["\u202etxt.exe", "a\u2067b"];
/** Marks that nobody sees. */
const HIDDEN = ["a\u200bb", "a\u{e0041}b", "a\u00adb"];
export const UNWRITABLE = raw('"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"');
export const CHECKSUMMED = "0x52908400098527886E0F7030069857D2E4169EE7";

/** Text on one line that is kept as it is. */
export function lines(max: number): Kind {
  return {
    bad: [
      ...NOT_TEXTS,
      "",
      "a\nb",
      "a\u2028b",
      "x".repeat(max + 1),
      "💶".repeat(max + 1),
      "x".repeat(LONG),
      ...CONTROLS,
      ...TURNING,
      ...HIDDEN,
      ...UNWRITABLE,
    ],
    good: ["x".repeat(max), "💶".repeat(max), ...ODD_TEXTS.filter((text) => text.length <= max)],
  };
}

/** Text on one line that is kept without blanks around it and in the normal form, and judged as it is kept. */
export function names(max: number): Kind {
  const { bad, good } = lines(max);
  return {
    bad: [
      ...bad,
      "   ",
      " ".repeat(LONG),
      ` ${"x".repeat(max + 1)} `,
      // The normal form of each is two characters.
      "\u0958".repeat(max / 2 + 1),
      `a${"\u0301".repeat(LONG / 3)}`,
    ],
    good: [
      ...good,
      `  ${"x".repeat(max)} `,
      `a${" ".repeat(LONG)}`,
      "e\u0301".repeat(max),
      "\u0958".repeat(max / 2),
    ],
  };
}

export function integers(min: number, max: number): Kind {
  return {
    bad: [
      min - 1,
      max + 1,
      -1,
      1.5,
      true,
      null,
      [],
      {},
      "",
      "1",
      `${min}`,
      ...raw("1.0", "1e1", "-0", "1e400", "9007199254740993", "-9007199254740993"),
    ],
    good: [min, max],
  };
}

export function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

export function keys(count: number, text = "x") {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, text]));
}

export const addresses: Kind = {
  bad: [
    ...NOT_TEXTS,
    "",
    "0x",
    "vitalik.eth",
    "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS",
    SQL,
    `0X${PAYER.slice(2)}`,
    PAYER.slice(0, -1),
    `${PAYER}0`,
    ` ${PAYER}`,
    `${PAYER}\n`,
    CHECKSUMMED.replace("E", "e"),
    `0x${"0".repeat(40)}`,
    "x".repeat(LONG),
    ...raw(`"${PAYER}\\u0000"`),
  ],
  good: [PAYER, PAYER.toLowerCase(), CHECKSUMMED, `0x${PAYER.slice(2).toUpperCase()}`],
};

export const urls: Kind = {
  bad: [
    1,
    true,
    [],
    {},
    "",
    "shop.example",
    "//shop.example",
    "/hooks",
    "javascript:alert(1)",
    "http://shop.example",
    "ftp://shop.example",
    "file:///etc/passwd",
    "https://",
    "https://user@shop.example",
    "https://user:pass@shop.example",
    "https://shop.example#top",
    "https://shop.example:22",
    "https://shop.example:5432",
    "https://shop.example:99999",
    "https://localhost",
    "https://127.0.0.1",
    "https://127.1",
    "https://0x7f.1",
    "https://2130706433",
    "https://017700000001",
    "https://[::1]",
    "https://[::ffff:10.0.0.1]",
    "https://10.0.0.1",
    "https://192.168.1.1",
    "https://169.254.169.254",
    "https://0.0.0.0",
    "https://shop",
    "https://shop.internal",
    "https://shop.local",
    "https://shop..example",
    "https://shop.example\\@10.0.0.1",
    "https://shop .example",
    "https://shop.example/\u0000",
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

export const HASH = `0x${"ab".repeat(32)}`;

export const AMOUNTS = [
  ...NOT_TEXTS,
  "",
  "0",
  "0.0",
  "-1",
  "+1",
  "01",
  " 1",
  "1 ",
  "1e3",
  "1E3",
  "0x10",
  ".5",
  "1.",
  "1,5",
  "NaN",
  "Infinity",
  "\u0661\u0662",
  "１",
  "1".repeat(61),
  "1".repeat(LONG),
  // Finer than the coin's smallest unit, and more than 2^256 of them.
  "0.0000000000000000001",
  "9".repeat(60),
  `1.${"1".repeat(37)}`,
  SQL,
  ...raw('"1\\u0000"'),
];

export const defaultWallets: Kind = {
  bad: [
    1,
    null,
    {},
    [CHECKSUMMED],
    [null],
    [{ chainId: 424_242 }],
    [{ address: CHECKSUMMED }],
    [{ chainId: "424242", address: CHECKSUMMED }],
    [{ chainId: 424_242, address: CHECKSUMMED.replace("E", "e") }],
    [{ chainId: 424_242, address: SQL }],
    [{ chainId: 424_242, address: CHECKSUMMED, label: "x" }],
    Array.from({ length: 2 }, () => ({ chainId: 424_242, address: CHECKSUMMED })),
    Array.from({ length: 51 }, (_, at) => ({ chainId: at + 424_242, address: CHECKSUMMED })),
  ],
  good: [[], [{ chainId: 424_242, address: CHECKSUMMED }]],
};

export const refundLimits: Kind = {
  bad: [
    1,
    null,
    {},
    [1],
    [null],
    [{ chainId: 31_337, currency: "native" }],
    [{ chainId: "31337", currency: "native", perDay: "1" }],
    [{ chainId: 31_337, currency: "usdc", perDay: "1" }],
    [{ chainId: 31_337, currency: CHECKSUMMED, perDay: "1" }],
    [{ chainId: 31_337, currency: "native", perDay: 1 }],
    [{ chainId: 31_337, currency: "native", perDay: "0" }],
    [{ chainId: 31_337, currency: "native", perDay: "0.0000000000000000001" }],
    [{ chainId: 31_337, currency: "native", perDay: SQL }],
    [{ chainId: 31_337, currency: "native", perDay: "1", perWeek: "2" }],
    Array.from({ length: 2 }, () => ({ chainId: 31_337, currency: "native", perDay: "1" })),
    Array.from({ length: 21 }, () => ({ chainId: 31_337, currency: "native", perDay: "1" })),
  ],
  good: [[], [{ chainId: 31_337, currency: "native", perDay: "0.000000000000000001" }]],
};
