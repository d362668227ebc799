// The fields of requests, each with the message for a value that breaks its rule. JSON types are not converted: a
// number in quotes is no number here. Lengths count whole characters, not UTF-16 units.
import {
  AMOUNT_PATTERN,
  checksumAddress,
  type IdPrefix,
  isAddress,
  isId,
  toAddress,
  toTxHash,
  ZERO_ADDRESS,
} from "@pay/values";
import { z } from "zod";
import { ADDRESS, CLIENT_SECRET, TOKEN, TX_HASH } from "./example-values.ts";
import { buildRule, countCharacters } from "./field-rules.ts";

export { metadata } from "./metadata.ts";

const PAGE_MAX = 1_000_000;
const LIMIT_MAX = 100;
const SIGNATURE_BYTES_MAX = 4_096;
const SECRET_LENGTH_MAX = 200;

// Free text may have line breaks and tabs; other control characters serve only attacks on terminals and logs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_OR_BREAK = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** In several lines a text may say in which direction it reads, but not change that of what stands around it. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
/** What nobody sees, but the joiners that some scripts and emoji need. */
const HIDDEN = /(?![\u200c\u200d])\p{Cf}/u;
const hiddenRule = buildRule("not contain marks that hide text or turn it around");

function fits(text: string, min: number, max: number): boolean {
  return text.length >= min && text.length <= 2 * max && countCharacters(text) <= max;
}

function range(min: number, max: number) {
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

/** Free text of several lines. */
export function text(max: number) {
  const rule = buildRule(`be a string of at most ${max} characters`);
  return z
    .string(rule)
    .refine((value) => fits(value, 0, max) && !CONTROL.test(value), rule)
    .refine((value) => !TURNS.test(value), hiddenRule)
    .meta({ maxLength: max });
}

/** The normal form makes one character of at most six UTF-16 units. */
const UNITS_PER_CHARACTER = 8;

/** A name of one line, in one spelling of its accents and without blanks around it. It is judged as it is stored. */
export function name(max: number) {
  const rule = buildRule(`be a string of ${range(1, max)} characters on one line`);
  return z
    .string(rule)
    .overwrite((value) => {
      const trimmed = value.trim();
      // To put tens of thousands of marks in order takes seconds; a text of this length does not fit in any spelling.
      return trimmed.length > max * UNITS_PER_CHARACTER ? trimmed : trimmed.normalize("NFC");
    })
    .refine((value) => fits(value, 1, max) && !CONTROL_OR_BREAK.test(value), rule)
    .refine((value) => !HIDDEN.test(value), hiddenRule)
    .meta({ minLength: 1, maxLength: max });
}

/** A merchant's own reference, compared character by character. */
export function reference(max: number) {
  const rule = buildRule(`be a string of ${range(1, max)} characters on one line`);
  return z
    .string(rule)
    .refine((value) => fits(value, 1, max) && !CONTROL_OR_BREAK.test(value), rule)
    .refine((value) => !HIDDEN.test(value), hiddenRule)
    .meta({ minLength: 1, maxLength: max });
}

export function integer(min: number, max: number, rule = `be an integer from ${min} to ${max}`) {
  return z.int(buildRule(rule)).min(min, buildRule(rule)).max(max, buildRule(rule));
}

export function flag() {
  return z.boolean(buildRule("be true or false"));
}

export function queryFlag() {
  return z
    .enum(["true", "false"], buildRule("be true or false"))
    .transform((value) => value === "true")
    .meta({ openapi: { type: "boolean" } });
}

export function chainId() {
  return integer(1, Number.MAX_SAFE_INTEGER, "be a positive integer").meta({
    description: "Chain id.",
    example: 1,
  });
}

export function amount() {
  const rule = buildRule("be a positive decimal string with at most 36 fraction digits, e.g. 12.5");
  return z
    .string(rule)
    .regex(AMOUNT_PATTERN, rule)
    .refine((value) => /[1-9]/.test(value), rule)
    .meta({
      description: "Amount in whole units of the currency, as a decimal string.",
      example: "12.50",
    });
}

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

/** An amount in the shop's own currency, as text for people. */
export function displayAmount() {
  const amountRule = buildRule(
    "be a decimal string with at most 15 digits and 4 fraction digits, e.g. 12.50",
  );
  const currencyRule = buildRule("be a currency code of ISO 4217, e.g. EUR");
  return z.strictObject(
    {
      amount: z
        .string(amountRule)
        .regex(/^(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,4})?$/, amountRule)
        .meta({ description: "Amount in whole units, as a decimal string.", example: "12.50" }),
      currency: z
        .string(currencyRule)
        .regex(/^[A-Z]{3}$/, currencyRule)
        .refine((code) => CURRENCIES.has(code), currencyRule)
        .meta({ description: "Currency code of ISO 4217.", example: "EUR" }),
    },
    buildRule("be an object with no keys but amount and currency"),
  );
}

export function address() {
  const rule = buildRule(
    "be an EVM address: 0x and 40 hex digits, with a valid checksum if in mixed case",
  );
  return z
    .string(rule)
    .refine(isAddress, rule)
    .refine((value) => toAddress(value) !== ZERO_ADDRESS, buildRule("not be the zero address"))
    .meta({ example: ADDRESS })
    .transform(checksumAddress);
}

export function currency() {
  const rule = buildRule('be "native" or a token contract address');
  return z
    .string(rule)
    .refine((value) => value === "native" || isAddress(value), rule)
    .meta({
      description: "`native` for the chain's coin, or the contract address of a listed token.",
      example: TOKEN,
    });
}

export function txHash() {
  const rule = buildRule("be 0x and 64 hex digits");
  return z
    .string(rule)
    .regex(/^0x[0-9a-fA-F]{64}$/, rule)
    .meta({ description: "Transaction hash.", example: TX_HASH })
    .transform(toTxHash);
}

export function clientSecret() {
  return z
    .string(buildRule("be a string"))
    .max(SECRET_LENGTH_MAX, buildRule("be a client secret"))
    .meta({
      description: "The customer's credential for this payment alone.",
      example: CLIENT_SECRET,
    });
}

/** Contracts take signatures of any form, so only their length is bounded. */
export function signature() {
  const rule = buildRule("be 0x and hex digits, at most 4096 bytes");
  return z
    .string(rule)
    .max(2 + 2 * SIGNATURE_BYTES_MAX, rule)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/, rule);
}

/** Of one of these kinds. */
export function getId(...prefixes: [IdPrefix, ...IdPrefix[]]) {
  const rule = buildRule(
    `be an id that starts with ${prefixes.map((one) => `${one}_`).join(" or ")}`,
  );
  return z.string(rule).refine((value) => prefixes.some((one) => isId(one, value)), rule);
}

export function email() {
  const rule = buildRule("be an email address of at most 254 characters");
  return z.email(rule).max(254, rule);
}

export function choiceField<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, buildRule(`be one of ${values.join(", ")}`));
}

/** Names of a known set, separated by commas. */
export function listField<T extends string>(values: readonly T[]) {
  const rule = buildRule(`be one or more of ${values.join(", ")}, separated by commas`);
  return z
    .string(rule)
    .refine((value) => value.split(",").every((part) => values.includes(part as T)), rule)
    .transform((value) => [...new Set(value.split(","))] as T[])
    .meta({ openapi: { type: "array", items: { type: "string", enum: values } } });
}

function digits(max: number, rule: string) {
  return z
    .string(buildRule(rule))
    .regex(/^[1-9][0-9]{0,15}$/, buildRule(rule))
    .transform(Number)
    .refine((value) => value <= max, buildRule(rule))
    .meta({ openapi: { type: "integer", minimum: 1, maximum: max } });
}

export function queryInteger(max: number, rule = `be an integer from 1 to ${max}`) {
  return digits(max, rule);
}

function countFrom(fallback: number, max: number) {
  return queryInteger(max)
    .default(fallback)
    .meta({ openapi: { type: "integer", minimum: 1, maximum: max, default: fallback } });
}

/** The names that `expand` takes. */
export function expansion<T extends string>(values: readonly T[]) {
  return listField(values)
    .optional()
    .describe("Additional fields and records of the response, separated by commas.");
}

/** page and limit as strings of the query; the page named by its last item wins over a number. */
export function pageFields(prefix: IdPrefix) {
  return {
    page: countFrom(1, PAGE_MAX).describe("Page number, from 1."),
    limit: countFrom(20, LIMIT_MAX).describe("Maximum number of items of a page."),
    after: getId(prefix).optional().describe("Cursor: id of the last item of the previous page."),
  };
}

export function time() {
  const rule = buildRule("be an ISO 8601 time, e.g. 2026-01-31T12:00:00.000Z");
  return z.iso.datetime({ offset: true, ...rule }).transform((value) => new Date(value));
}

/** Ends of the time in which listed items were created. */
export function createdFields() {
  return {
    createdFrom: time().optional().describe("Only items created at or after this time."),
    createdTo: time().optional().describe("Only items created at this time or before it."),
  };
}

export function chainFilter() {
  return queryInteger(Number.MAX_SAFE_INTEGER, "be a positive integer")
    .optional()
    .describe("Chain id.");
}

/** A day of the calendar. */
export function day() {
  const rule = buildRule("be a date in the form YYYY-MM-DD, from 1970 on");
  return z.iso.date(rule).refine((date) => date >= "1970", rule);
}

export function httpsUrl() {
  const rule = buildRule("be an https URL of at most 2048 characters");
  return z
    .string(rule)
    .refine((value) => value.length <= 2_048 && isHttps(value), rule)
    .meta({ format: "uri" });
}

/** For addresses that the policy of outgoing calls judges: it takes http to the developer's own machine alone. */
export function webUrl() {
  const rule = buildRule("be an https URL of at most 2048 characters");
  return z
    .string(rule)
    .refine((value) => value.length <= 2_048 && /^https?:\/\//i.test(value), rule)
    .meta({ format: "uri" });
}

function isHttps(value: string): boolean {
  const url = /[\s\\]/.test(value) ? null : URL.parse(value);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}

/** An array whose items are read only when there are not too many of them. */
export function listUpTo<T extends z.ZodType>(
  max: number,
  item: T,
  rule: ReturnType<typeof buildRule>,
) {
  return z
    .custom<z.input<T>[]>((value) => Array.isArray(value) && value.length <= max, rule)
    .pipe(z.array(item));
}
