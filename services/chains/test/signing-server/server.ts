// A server that signs for one wallet: it answers eth_signTransaction to callers whose certificate is of the authority
// it knows.
import { createServer, type Server } from "node:https";
import { text } from "node:stream/consumers";
import { Transaction, type Wallet } from "ethers";

export type Asked = Record<string, string>;

/** What it signs is what it is asked for. */
export function signAsked(wallet: Wallet, asked: Asked): Promise<string> {
  const { from: _, gas, nonce, chainId, ...rest } = asked;
  const numbers = { gasLimit: gas, nonce: Number(nonce), chainId: BigInt(chainId as string) };
  return wallet.signTransaction(Transaction.from({ type: 2, ...rest, ...numbers } as object));
}

export interface Tls {
  cert: string;
  key: string;
  /** Who may call. */
  ca: string;
}

export function createSigningServer(
  wallet: Wallet,
  { tls, onSigned }: { tls: Tls; onSigned?: (asked: Asked) => void },
): Server {
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true });
  server.on("request", async (request, response) => {
    try {
      const { id, method, params } = JSON.parse(await text(request));
      if (method !== "eth_signTransaction") throw new Error(`${method} is not known here`);
      const result = await signAsked(wallet, params[0]);
      onSigned?.(params[0]);
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    } catch {
      response.writeHead(400).end();
    }
  });
  return server;
}
