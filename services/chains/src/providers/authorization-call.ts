// The calls of a token that has authorizations (EIP-3009).
import {
  type Address,
  AUTHORIZATION_TYPES,
  type Authorization,
  type ChainId,
  toAddress,
} from "@pay/values";
import { Interface, recoverAddress, Signature, TypedDataEncoder } from "ethers";

const ARGUMENTS =
  "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce";
const TOKEN = new Interface([
  `function transferWithAuthorization(${ARGUMENTS}, uint8 v, bytes32 r, bytes32 s)`,
  `function transferWithAuthorization(${ARGUMENTS}, bytes signature)`,
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);
const BY_KEY = TOKEN.getFunction(
  "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
);
const BY_CONTRACT = TOKEN.getFunction(
  "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
);

export interface SigningDomain {
  name: string;
  version: string;
  chainId: ChainId;
  verifyingContract: Address;
}

export function hashAuthorization(domain: SigningDomain, authorization: Authorization): string {
  const types = { TransferWithAuthorization: [...AUTHORIZATION_TYPES.TransferWithAuthorization] };
  return TypedDataEncoder.hash(domain, types, authorization);
}

/**
 * The call that spends it. A signature that is not of the payer's key may be one of a contract wallet, which the token
 * itself judges.
 */
export function buildAuthorizationCall(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  { digest, signature }: { digest: string; signature: string },
): string {
  const fields = [from, to, value, validAfter, validBefore, nonce];
  const signed = parseKeySignature(digest, signature, from);
  return signed === undefined
    ? TOKEN.encodeFunctionData(BY_CONTRACT ?? "", [...fields, signature])
    : TOKEN.encodeFunctionData(BY_KEY ?? "", [...fields, signed.v, signed.r, signed.s]);
}

export function isKeySignature(digest: string, signature: string, signer: Address): boolean {
  return parseKeySignature(digest, signature, signer) !== undefined;
}

function parseKeySignature(digest: string, text: string, signer: Address): Signature | undefined {
  try {
    const signature = Signature.from(text);
    return toAddress(recoverAddress(digest, signature)) === signer ? signature : undefined;
  } catch {
    // Signatures of contracts have any form.
    return undefined;
  }
}

/** The call that tells whether a nonce is spent or cancelled. */
export function buildStateCall(payer: Address, nonce: string): string {
  return TOKEN.encodeFunctionData("authorizationState", [payer, nonce]);
}
