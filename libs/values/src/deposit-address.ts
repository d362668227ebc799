// The deposit address of a payment: whatever is sent there can only go to the recipient of the payment. It is made of
// the payment's id and the recipient, the same on every chain, and nobody holds a key of it.
import { keccak_256 } from "@noble/hashes/sha3";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils";
import factory from "../contracts/Factory.json" with { type: "json" };
import forwarder from "../contracts/Forwarder.json" with { type: "json" };
import { type Address, toAddress } from "./address.ts";

declare const kind: unique symbol;

/** What tells the deposit addresses of a recipient apart: 0x and 64 hex digits. */
export type DepositSalt = string & { readonly [kind]: "DepositSalt" };

const DOMAIN = "pay.address.1";
const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;

/** The usual deterministic deployer: it creates what follows the salt in its input. */
export const DETERMINISTIC_DEPLOYER = toAddress("0x4e59b44847b379578588920ca78fbf26c0b4956c");

const FACTORY_SALT = "0".repeat(WORD_DIGITS);

/** The input with which the deterministic deployer creates the factory. */
export const DEPOSIT_FACTORY_INPUT = `0x${FACTORY_SALT}${factory.bytecode}`;

/** The contract that sweeps deposit addresses, the same on every chain. */
export const DEPOSIT_FACTORY = create2(
  DETERMINISTIC_DEPLOYER,
  FACTORY_SALT,
  hash(factory.bytecode),
);

/** No secret: who knows it can only send the money on to the recipient. */
export function toDepositSalt(paymentId: string): DepositSalt {
  return `0x${bytesToHex(keccak_256(`${DOMAIN}${paymentId}`))}` as DepositSalt;
}

export function toDepositAddress({
  factory: creator = DEPOSIT_FACTORY,
  paymentId,
  recipient,
}: {
  factory?: Address;
  paymentId: string;
  recipient: Address;
}): Address {
  return create2(creator, toDepositSalt(paymentId).slice(2), hashForwarder(recipient));
}

// A merchant is paid at few recipients. Bounded: when it is full it starts anew, which costs a few hashes.
const forwarders = new Map<Address, string>();
const FORWARDERS_MAX = 10_000;

function hashForwarder(recipient: Address): string {
  const known = forwarders.get(recipient);
  if (known !== undefined) return known;
  if (forwarders.size >= FORWARDERS_MAX) forwarders.clear();
  const digest = hash(forwarder.bytecode + recipient.slice(2).padStart(WORD_DIGITS, "0"));
  forwarders.set(recipient, digest);
  return digest;
}

function create2(creator: Address, salt: string, codeHash: string): Address {
  return toAddress(`0x${hash(`ff${creator.slice(2)}${salt}${codeHash}`).slice(-ADDRESS_DIGITS)}`);
}

function hash(hex: string): string {
  return bytesToHex(keccak_256(hexToBytes(hex)));
}
