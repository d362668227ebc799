// Connections through the operator's CONNECT proxy, where an installation has no other way out. Names are resolved and
// vetted here, as without a proxy, and the proxy is asked for the address that was vetted: what it resolves itself
// cannot lead elsewhere. It is a second wall, so its refusal counts like one of ours.
import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { EgressFault, type FaultClass } from "./faults.ts";

const ADDRESSES_MAX = 4;

export interface ConnectProxy {
  host: string;
  port: number;
  /** For Proxy-Authorization; absent where the proxy asks for none. */
  credentials: string | undefined;
}

/** From http://user:password@host:port; undefined for another text. */
export function parseProxy(text: string): ConnectProxy | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "http:" || url.hostname === "") return undefined;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return undefined;
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || 80,
    credentials: user === ":" ? undefined : `Basic ${Buffer.from(user).toString("base64")}`,
  };
}

export interface Tunnel {
  socket: Socket;
  /** Of the receiver, not of the proxy. */
  address: string;
}

/** A connection to the first of the addresses that the proxy reaches. */
export async function openTunnel(
  proxy: ConnectProxy,
  { addresses, port, signal }: { addresses: readonly string[]; port: number; signal: AbortSignal },
): Promise<Tunnel> {
  let first: unknown;
  for (const address of addresses.slice(0, ADDRESSES_MAX)) {
    try {
      return { socket: await connectBy(proxy, { address, port, signal }), address };
    } catch (error) {
      first ??= error;
      if (signal.aborted || (error instanceof EgressFault && error.fault === "proxy")) throw error;
    }
  }
  throw first ?? new EgressFault("dns");
}

function connectBy(
  proxy: ConnectProxy,
  { address, port, signal }: { address: string; port: number; signal: AbortSignal },
): Promise<Socket> {
  const authority = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  const { host, port: proxyPort, credentials } = proxy;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host,
      port: proxyPort,
      method: "CONNECT",
      path: authority,
      agent: false,
      signal,
      headers: {
        host: authority,
        ...(credentials !== undefined && { "proxy-authorization": credentials }),
      },
    });
    request.once("connect", ({ statusCode = 0 }, socket, head) => {
      // An error that comes before the socket has a listener of its own must not be fatal.
      const tcp = (socket as Socket).on("error", () => {}).setNoDelay(true);
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve(tcp);
      tcp.destroy();
      reject(new EgressFault(faultOfStatus(statusCode)));
    });
    request.on("error", () => reject(new EgressFault(signal.aborted ? "timeout" : "proxy")));
    request.end();
  });
}

/** Errors of the proxy about the receiver; all else is about the proxy itself. */
function faultOfStatus(statusCode: number): FaultClass {
  if (statusCode === 403) return "refused_address";
  if (statusCode === 502 || statusCode === 503) return "unreachable";
  return statusCode === 504 ? "timeout" : "proxy";
}
