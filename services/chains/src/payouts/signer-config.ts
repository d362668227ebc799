import { Mode } from "@pay/proto";
import {
  AMOUNT_PATTERN,
  isAddress,
  isId,
  toAddress,
  toBaseUnits,
  toChainId,
  toCurrency,
  ZERO_AMOUNT,
} from "@pay/values";
import { z } from "zod";

const WEI_PER_GWEI_DIGITS = 9;

/** Many nodes keep 16 of one sender and forget further ones. */
const IN_FLIGHT_USUAL = 16;
const IN_FLIGHT_HIGHEST = 1_000;

const SWEEP_USUAL_MINUTES = 60;
const SWEEP_LONGEST_MINUTES = 24 * 60;

const address = z.string().refine(isAddress).transform(toAddress);
const amount = z.string().regex(AMOUNT_PATTERN);
const file = z.string().min(1);

const limits = z
  .record(
    z.string().refine((text) => text === "native" || isAddress(text)),
    z.strictObject({ transactionMax: amount, dayMax: amount, sweepMin: amount.optional() }),
  )
  .transform(
    (record) =>
      new Map(Object.entries(record).map(([key, limit]) => [toCurrency(key), limit] as const)),
  );

const MODES = { live: Mode.LIVE, test: Mode.TEST } as const;

/** Of a wallet that sends the merchant's own money. */
const owner = {
  projectId: z.string().refine((text) => isId("proj", text)),
  mode: z.enum(["live", "test"]).transform((mode) => MODES[mode]),
  limits,
  refundsTo: z.enum(["payer", "anyone"]).default("payer"),
  settlementsTo: z
    .array(address)
    .max(100)
    .default([])
    .transform((list) => new Set(list)),
  sweepAfterMinutes: z
    .number()
    .int()
    .min(0)
    .max(SWEEP_LONGEST_MINUTES)
    .default(SWEEP_USUAL_MINUTES),
};

const NATIVE_DIGITS = 18;
const gas = amount.transform((text) => toBaseUnits(text, NATIVE_DIGITS) ?? ZERO_AMOUNT);

/** Of a wallet that pays the gas of payers. */
const sponsor = z.strictObject({
  gasPerDay: gas,
  gasPerProjectDay: gas,
  minAmounts: z
    .record(z.string().refine(isAddress), amount)
    .default({})
    .transform(
      (record) => new Map(Object.entries(record).map(([key, min]) => [toCurrency(key), min])),
    ),
});

const common = {
  chainId: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).transform(toChainId),
  address,
  maxFeeGwei: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/)
    .default("500")
    .transform((gwei) => BigInt(gwei) * 10n ** BigInt(WEI_PER_GWEI_DIGITS)),
  inFlightMax: z.number().int().min(1).max(IN_FLIGHT_HIGHEST).default(IN_FLIGHT_USUAL),
};

const keystore = { keystoreFile: file, passphraseFile: file };
const server = {
  url: z.url({ protocol: /^https?$/ }),
  certFile: file.optional(),
  keyFile: file.optional(),
  caFile: file.optional(),
};

/** The key is in an encrypted file, or a server signs. */
export const signerEntry = z.union([
  z.strictObject({ ...common, ...owner, sponsor: sponsor.optional(), ...keystore }),
  z.strictObject({ ...common, ...owner, sponsor: sponsor.optional(), ...server }),
  z.strictObject({ ...common, sponsor, ...keystore }),
  z.strictObject({ ...common, sponsor, ...server }),
]);

export type SignerEntry = z.infer<typeof signerEntry>;
