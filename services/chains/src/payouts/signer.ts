// The port to the keys. A signer turns a transaction into signed bytes and does nothing else: it sends nothing and
// takes no nonce of its own.
import { readFileSync } from "node:fs";
import { type Address, type ChainId, type TxHash, toAddress, toTxHash } from "@pay/values";
import { Transaction } from "ethers";
import type { SponsorPolicy } from "./domain/authorization.ts";
import type { Fees } from "./domain/intent.ts";
import type { SigningPolicy } from "./domain/signing-policy.ts";

export interface TransactionToSign {
  chainId: ChainId;
  nonce: number;
  /** Hex. */
  to: string;
  value: string;
  data: string;
  gasLimit: bigint;
  fees: Fees;
}

export interface Signature {
  /** 0x and hex. */
  raw: string;
  txHash: TxHash;
}

/** Holds a key: a file that this process has read, or a server. */
export interface KeyHolder {
  sign(transaction: TransactionToSign): Promise<Signature>;
  close(): void;
}

export interface Signer extends KeyHolder {
  chainId: ChainId;
  address: Address;
  policy: SigningPolicy;
  /** Of a wallet that pays the gas of payers. */
  sponsor: SponsorPolicy | undefined;
  /** Transactions that may be signed and not mined. */
  inFlightMax: number;
}

/** A wallet that pays the gas of payers. */
export type Sponsor = Signer & { sponsor: SponsorPolicy };

export function isSponsor(signer: Signer): signer is Sponsor {
  return signer.sponsor !== undefined;
}

/** The one form in which transactions are signed here. */
export function toUnsigned({ chainId, nonce, to, value, data, gasLimit, fees }: TransactionToSign) {
  return Transaction.from({
    type: 2,
    chainId,
    nonce,
    to,
    value,
    data,
    gasLimit,
    maxFeePerGas: fees.maxFee,
    maxPriorityFeePerGas: fees.priorityFee,
  });
}

/** The signed transaction, where it matches the request and is signed by this address. */
export function checkSignature(
  raw: string,
  asked: TransactionToSign,
  address: Address,
): Signature | undefined {
  let signed: Transaction;
  let from: string | null;
  try {
    signed = Transaction.from(raw);
    // Fails where the numbers of the signature are those of no key.
    from = signed.from;
  } catch {
    return undefined;
  }
  const isAsked = signed.unsignedSerialized === toUnsigned(asked).unsignedSerialized;
  const { hash } = signed;
  if (!isAsked || hash === null || from === null || toAddress(from) !== address) return undefined;
  return { raw: signed.serialized, txHash: toTxHash(hash) };
}

/** An operator has to correct it before a signer can be opened. One line, without anything that a file holds. */
export class SignerFault extends Error {}

export function readSignerFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SignerFault(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
