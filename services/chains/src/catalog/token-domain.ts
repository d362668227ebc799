// Whether holders of a token can sign for transfers that somebody else sends (EIP-3009), and how: the contract says its
// name and version, and the domain that they give must be its own. Names in lists are often wrong, so no list is asked.
import {
  type Address,
  type ChainId,
  type TokenDomain,
  toAuthorizationDomain,
  ZERO_ADDRESS,
} from "@pay/values";
import { Interface, TypedDataEncoder, ZeroHash } from "ethers";
import { buildStateCall } from "../providers/authorization-call.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import { REQUEST_FAULTS, RpcError } from "../providers/rpc-error.ts";

const TOKEN = new Interface([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
]);
const WORD = /^0x[0-9a-f]{64}$/;

interface Place {
  chainId: ChainId;
  token: Address;
}

/** Null where the token has no such transfers; undefined while no provider answers. */
export async function readDomain(
  providers: Providers | undefined,
  place: Place,
): Promise<TokenDomain | null | undefined> {
  for (const reader of (await providers?.readers()) ?? []) {
    try {
      return await readFrom(reader, place);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return undefined;
}

async function readFrom(reader: Reader, { chainId, token }: Place): Promise<TokenDomain | null> {
  const [name, version, separator, state] = await Promise.all([
    view(reader, token, TOKEN.encodeFunctionData("name")),
    view(reader, token, TOKEN.encodeFunctionData("version")),
    view(reader, token, TOKEN.encodeFunctionData("DOMAIN_SEPARATOR")),
    view(reader, token, buildStateCall(ZERO_ADDRESS, ZeroHash)),
  ]);
  const domain = { name: decodeText("name", name), version: decodeText("version", version) };
  if (domain.name === undefined || domain.version === undefined || !WORD.test(state)) return null;
  const known = { name: domain.name, version: domain.version };
  const own = TypedDataEncoder.hashDomain(toAuthorizationDomain(known, { chainId, token }));
  return own === separator ? known : null;
}

/** Empty where the contract has no such function, whatever it does instead. */
async function view(reader: Reader, token: Address, data: string): Promise<string> {
  try {
    return await reader.view(token, data);
  } catch (error) {
    if (error instanceof RpcError && REQUEST_FAULTS.has(error.fault)) return "0x";
    throw error;
  }
}

const TEXT_MAX = 100;

function decodeText(name: "name" | "version", answer: string): string | undefined {
  try {
    const [text] = TOKEN.decodeFunctionResult(name, answer) as unknown as [string];
    return text.length <= TEXT_MAX ? text : undefined;
  } catch {
    return undefined;
  }
}
