// The call of a transaction that may name a payment, with the proof that its fields are those of the transaction. Most
// transactions name none: those cost one search in their input.
import { REFERENCE_KEY, type TxHash, toAddress, toAmount, toHex, toTxHash } from "@pay/values";
import { concat, encodeRlp, keccak256, type RlpStructuredData, toBeHex } from "ethers";
import { z } from "zod";
import type { Call } from "./domain/call.ts";

/** As RLP has numbers: without leading zeros. */
const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => (BigInt(text) === 0n ? "0x" : toBeHex(BigInt(text))));
const bytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const call = z.object({
  hash: z.string().transform(toTxHash),
  from: address.transform(toAddress),
  to: address.transform(toAddress),
  value: z.string().regex(/^0x[0-9a-fA-F]{1,64}$/),
  input: bytes.transform(toHex),
  type: z.string().nullish(),
});

const accesses = z
  .array(z.object({ address, storageKeys: z.array(bytes) }))
  .transform((list) => list.map((one): Item => [one.address, one.storageKeys]));
const authorizations = z
  .array(
    z.object({
      chainId: quantity,
      address,
      nonce: quantity,
      yParity: quantity,
      r: quantity,
      s: quantity,
    }),
  )
  .transform((list) =>
    list.map((one): Item => [one.chainId, one.address, one.nonce, one.yParity, one.r, one.s]),
  );

type Item = RlpStructuredData;

/** The fields of a type in the order in which they are signed. */
const CALLED = { gas: quantity, to: address, value: quantity, input: bytes };
const SIGNED = { r: quantity, s: quantity };
const LEGACY = { nonce: quantity, gasPrice: quantity, ...CALLED, v: quantity, ...SIGNED };
const WITH_PARITY = { accessList: accesses, yParity: quantity, ...SIGNED };
const PRICED = {
  chainId: quantity,
  nonce: quantity,
  maxPriorityFeePerGas: quantity,
  maxFeePerGas: quantity,
  ...CALLED,
};
const TYPES: Readonly<Record<number, z.ZodType<Record<string, Item>>>> = {
  0: z.object(LEGACY),
  1: z.object({
    chainId: quantity,
    nonce: quantity,
    gasPrice: quantity,
    ...CALLED,
    ...WITH_PARITY,
  }),
  2: z.object({ ...PRICED, ...WITH_PARITY }),
  4: z.object({
    ...PRICED,
    accessList: accesses,
    authorizationList: authorizations,
    yParity: quantity,
    ...SIGNED,
  }),
};

/** Null where it names no payment, and where it cannot be that transaction: nothing waits for a name. */
export function decodeCall(answer: unknown, asked: TxHash | undefined): Call | null {
  const { input } = (answer ?? {}) as { input?: unknown };
  if (typeof input !== "string" || !input.includes(REFERENCE_KEY)) return null;
  const { data: found } = call.safeParse(answer);
  if (found === undefined || found.hash !== asked) return null;
  const type = Number(found.type ?? 0);
  const isProven = type in TYPES;
  if (isProven && hashFields(answer, type) !== asked) return null;
  const { from, to, value } = found;
  return { from, to, value: toAmount(BigInt(value)), input: found.input.slice(2), isProven };
}

function hashFields(answer: unknown, type: number): string | undefined {
  // Older nodes have the parity under the name of the legacy field.
  const { v } = answer as { v?: unknown };
  const fields = TYPES[type]?.safeParse({ yParity: v, ...(answer as object) }).data;
  if (fields === undefined) return undefined;
  const encoded = encodeRlp(Object.values(fields));
  return keccak256(type === 0 ? encoded : concat([toBeHex(type), encoded]));
}
