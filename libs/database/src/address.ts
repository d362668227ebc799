// The parts of an address that the driver does not read. `pooler=transaction` names a pooler, such as PgBouncer, that
// gives a session of the server to each transaction: nothing may be set for a session, and no statement stays
// prepared.
import pg from "pg";

const POOLER = "pooler";

export interface Address {
  /** For the driver. */
  url: string;
  isPooled: boolean;
}

export function readAddress(text: string): Address {
  const url = new URL(text);
  const isPooled = url.searchParams.get(POOLER) === "transaction";
  url.searchParams.delete(POOLER);
  return { url: isPooled ? url.href : text, isPooled };
}

/** Only transaction pooling needs a setting; a pooler of whole sessions needs none. */
export function isKnownPooler(text: string): boolean {
  const pooler = new URL(text).searchParams.get(POOLER);
  return pooler === null || pooler === "transaction";
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** True where the driver would go over a network without TLS and the address does not say that this is meant. */
export function isPlaintextUnsaid(url: string): boolean {
  const { host, ssl } = new pg.Client({ connectionString: url });
  const isNear = host.startsWith("/") || LOOPBACK.test(host);
  return !ssl && !isNear && !new URL(url).searchParams.has("sslmode");
}
