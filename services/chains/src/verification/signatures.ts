// Whether an account has signed one of some texts: by its key (EIP-191), or by the rule of its contract (EIP-1271),
// also a contract that is not created yet (EIP-6492).
import { type Address, type ChainId, toAddress } from "@pay/values";
import { AbiCoder, hashMessage, verifyMessage, ZeroAddress } from "ethers";
import check from "../../contracts/SignatureCheck.json" with { type: "json" };
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

/** Behind the signature of a wallet that is not created yet: who creates it, by which call, and its own signature. */
const UNCREATED = "6492".repeat(16);
const CREATION = ["address", "bytes", "bytes"];
const CHECK = ["address", "bytes32", "bytes", "address", "bytes"];
const VALID = `0x${"0".repeat(63)}1`;

export function createSignatures(
  providers: ReadonlyMap<ChainId, Providers>,
  codes: Codes,
): Signatures {
  return {
    isValid: async ({ chainId, account, texts, signature }) => {
      const candidates = texts.map((text) => ({ account, text, signature }));
      if (candidates.some((signed) => recoverSigner(signed) === account)) return true;
      if (!signature.endsWith(UNCREATED)) {
        const code = await codes.getCode(chainId, account);
        if (code === undefined) return undefined;
        if (code === "0x") return false;
      }
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
  signed: SignedText,
): Promise<boolean | undefined> {
  const creation = buildCheck(signed);
  if (creation === undefined) return false;
  const results = await Promise.all(
    readers.map((reader) => tryRequest(runCheck(reader, creation))),
  );
  const known = results.filter((result) => result !== undefined);
  return known.length === 0 ? undefined : known.every((result) => result === VALID);
}

/** Undefined for a signature that only looks like one of a wallet that is not created yet. */
function buildCheck({ account, text, signature }: SignedText): string | undefined {
  const coder = AbiCoder.defaultAbiCoder();
  const isUncreated = signature.endsWith(UNCREATED);
  try {
    const [factory, creation, own] = isUncreated
      ? coder.decode(CREATION, signature.slice(0, -UNCREATED.length))
      : [ZeroAddress, "0x", signature];
    const question = [account, hashMessage(text), own, factory, creation];
    return `0x${check.bytecode}${coder.encode(CHECK, question).slice(2)}`;
  } catch {
    return undefined;
  }
}

async function runCheck(reader: Reader, creation: string): Promise<string> {
  try {
    return await reader.run(creation);
  } catch (error) {
    // A wallet that uses up all gas.
    if (error instanceof RpcError && error.fault === "reverted") return "0x";
    throw error;
  }
}
