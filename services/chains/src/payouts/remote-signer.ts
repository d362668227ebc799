// A server that holds the key and implements eth_signTransaction. Its response is compared with the request, so a
// server that was taken over can send nothing else.
import type { Address } from "@pay/values";
import { createEndpoint } from "../providers/endpoint.ts";
import { RpcError } from "../providers/rpc-error.ts";
import {
  checkSignature,
  type KeyHolder,
  readSignerFile,
  type TransactionToSign,
} from "./signer.ts";

export interface RemoteSigner {
  url: string;
  certFile?: string | undefined;
  keyFile?: string | undefined;
  caFile?: string | undefined;
}

const RESPONSE_BYTES_MAX = 65_536;

function pem(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readSignerFile(file);
}

export function openRemoteSigner(
  { url, certFile, keyFile, caFile }: RemoteSigner,
  { address, timeoutMs }: { address: Address; timeoutMs: number },
): KeyHolder {
  const name = `signer of ${address}`;
  const endpoint = createEndpoint({
    name,
    url,
    timeoutMs,
    responseBytesMax: RESPONSE_BYTES_MAX,
    tls: { cert: pem(certFile), key: pem(keyFile), ca: pem(caFile) },
  });
  return {
    sign: async (transaction) => {
      const answer = await endpoint.call("eth_signTransaction", [toRequest(transaction, address)]);
      const signature = checkSignature(parseRaw(answer), transaction, address);
      if (signature === undefined)
        throw new RpcError("implausible", `${name}, eth_signTransaction`);
      return signature;
    },
    close: () => endpoint.close(),
  };
}

function hex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

function toRequest(transaction: TransactionToSign, from: Address) {
  const { chainId, nonce, to, value, data, gasLimit, fees } = transaction;
  return {
    from,
    to,
    value,
    data,
    gas: hex(gasLimit),
    nonce: hex(nonce),
    chainId: hex(chainId),
    maxFeePerGas: hex(fees.maxFee),
    maxPriorityFeePerGas: hex(fees.priorityFee),
  };
}

/** Some servers answer the bytes, others an object with them. */
function parseRaw(answer: unknown): string {
  const raw =
    typeof answer === "object" && answer !== null && "raw" in answer ? answer.raw : answer;
  return typeof raw === "string" ? raw : "";
}
