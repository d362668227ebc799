import { describe, expect, test } from "@jest/globals";
import { parseObject } from "./parse-json.ts";

function parsed(text: string) {
  return parseObject(Buffer.from(text));
}

function nested(levels: number) {
  return `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
}

test("a plain object arrives as it was written", () => {
  const text =
    '{"amount":"1.5","chainId":1,"metadata":{"a":[1,{"b":"\\u00e9 \\"x\\\\"}],"c":1.5e3}}';
  expect(parsed(text)).toEqual(JSON.parse(text));
});

describe("refused:", () => {
  test.each([
    ["broken JSON", '{"amount":', "body must be valid JSON"],
    ["an open string", '{"amount":"1', "body must be valid JSON"],
    ["nothing but text", '"amount"', "body must be a JSON object"],
    ["null", "null", "body must be a JSON object"],
    ["an array", "[{}]", "body must be a JSON object"],
    ["a repeated field", '{"amount":"1","amount":"2"}', "amount must occur only once"],
    [
      "a field repeated by an escape",
      '{"amount":"1","am\\u006funt":"2"}',
      "amount must occur only once",
    ],
    ["a field repeated inside", '{"m":{"a b":1,"a b":2}}', "body must occur only once"],
    ["__proto__", '{"m":{"__proto__":{}}}', "body must not contain the key __proto__"],
    [
      "escaped constructor",
      '{"m":{"\\u0063onstructor":1}}',
      "body must not contain the key constructor",
    ],
    ["NUL", '{"note":"a\\u0000b"}', "note must not contain NUL characters"],
    [
      "NUL in a key inside",
      '{"metadata":{"a\\u0000b":1}}',
      "metadata must not contain NUL characters",
    ],
    ["a half character", '{"note":"\\ud83d"}', "note must not contain unpaired surrogates"],
    ["nine levels", nested(9), "body must not be nested deeper than 8 levels"],
    ["40000 levels", nested(40_000), "body must not be nested deeper than 8 levels"],
  ])("%s", (_, text, message) => {
    expect(() => parsed(text)).toThrow(message);
  });

  test("bytes that are not UTF-8", () => {
    expect(() => parseObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toThrow(
      "body must be valid UTF-8",
    );
  });

  test("a byte order mark", () => {
    expect(() => parseObject(Buffer.from("\ufeff{}"))).toThrow("body must be valid JSON");
  });
});

test.each(["1.0", "1e3", "-0", "1e400", "0.5"])("%s at the top is no integer", (number) => {
  expect(parsed(`{"chainId":${number},"b":[1.0]}`)).toEqual({ chainId: Number.NaN, b: [1] });
});

test("an integer that no number holds is none at any depth, and every other number stays", () => {
  const text =
    '{"m":{"a":[12345678901234567890,{"b":-9007199254740993}],"c":9007199254740992},"n":[0]}';
  expect(parsed(text)).toEqual({
    m: { a: [Number.NaN, { b: Number.NaN }], c: Number.NaN },
    n: [0],
  });
  const held =
    '{"m":{"a":[9007199254740991,-9007199254740991,0.1,1.50,1e300,-0,"12345678901234567890"]}}';
  expect(parsed(held)).toEqual(JSON.parse(held));
  expect(parsed(`{"m":${held},"n":[123456789012345678901]}`)).toEqual({
    m: JSON.parse(held),
    n: [Number.NaN],
  });
});

test("eight levels, whole emoji and integers pass", () => {
  expect(() => parsed(nested(8))).not.toThrow();
  expect(parsed('{"note":"\\ud83d\\ude00","n":-12,"z":0}')).toEqual({ note: "😀", n: -12, z: 0 });
});

test("so many values that judging them would take long are refused unread", () => {
  function ones(count: number) {
    return `{"a":[${Array.from({ length: count }, () => "1").join(",")}]}`;
  }

  expect(parsed(ones(5_000)).a).toHaveLength(5_000);
  expect(() => parsed(ones(5_001))).toThrow("body must have at most 5000 values");
});

test("the largest bodies cost next to nothing", () => {
  const keys = Array.from({ length: 5_000 }, (_, n) => `"k${n}":1`).join(",");
  const slashes = `{"a":"${"\\\\".repeat(50_000)}"}`;
  const digits = `{"a":[${"1".repeat(100_000)}]}`;
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && bestMs >= 500; tries++) {
    const startedAt = performance.now();
    for (const text of [`{${keys}}`, slashes, digits]) parsed(text);
    bestMs = Math.min(bestMs, performance.now() - startedAt);
  }
  expect(bestMs).toBeLessThan(500);
});
