// Whether an account has signed one of some texts: by its key (EIP-191), or by the rule of its contract (EIP-1271).
import { type Address, type ChainId, toAddress } from "@pay/values";
import { hashMessage, Interface, verifyMessage } from "ethers";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError, tryRequest } from "../providers/rpc-error.ts";
import type { Codes } from "./contract-codes.ts";

interface SignedText {
  account: Address;
  text: string;
  /** Hexadecimal with 0x. */
  signature: string;
}

export interface SignatureClaim extends Omit<SignedText, "text"> {
  chainId: ChainId;
  texts: readonly string[];
}

export interface Signatures {
  /** Undefined while no provider responds. */
  isValid(claim: SignatureClaim): Promise<boolean | undefined>;
}

const RULE = new Interface(["function isValidSignature(bytes32, bytes) view returns (bytes4)"]);
/** The result of a contract that accepts the signature: four bytes, then zeros. */
const VALID = `0x1626ba7e${"0".repeat(56)}`;

export function createSignatures(
  providers: ReadonlyMap<ChainId, Providers>,
  codes: Codes,
): Signatures {
  return {
    isValid: async ({ chainId, account, texts, signature }) => {
      const candidates = texts.map((text) => ({ account, text, signature }));
      if (candidates.some((signed) => recoverSigner(signed) === account)) return true;
      const code = await codes.getCode(chainId, account);
      if (code === undefined) return undefined;
      if (code === "0x") return false;
      const readers = (await providers.get(chainId)?.readers()) ?? [];
      for (const signed of candidates) {
        const isValid = await isContractSigned(readers, signed);
        if (isValid !== false) return isValid;
      }
      return false;
    },
  };
}

function recoverSigner({ text, signature }: SignedText): Address | undefined {
  try {
    return toAddress(verifyMessage(text, signature));
  } catch {
    // Signatures of contracts have any form.
    return undefined;
  }
}

/** One faulty provider must not bind a wallet, so all that respond must agree. */
async function isContractSigned(
  readers: readonly Reader[],
  { account, text, signature }: SignedText,
): Promise<boolean | undefined> {
  const data = RULE.encodeFunctionData("isValidSignature", [hashMessage(text), signature]);
  const results = await Promise.all(
    readers.map((reader) => tryRequest(callRule(reader, account, data))),
  );
  const known = results.filter((result) => result !== undefined);
  return known.length === 0 ? undefined : known.every((result) => result === VALID);
}

async function callRule(reader: Reader, account: Address, data: string): Promise<string> {
  try {
    return await reader.view(account, data);
  } catch (error) {
    // A contract without such a rule, or one that rejects by an error.
    if (error instanceof RpcError && error.fault === "reverted") return "0x";
    throw error;
  }
}
