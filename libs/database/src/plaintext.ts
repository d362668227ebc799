import pg from "pg";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** True where the driver would go over a network without TLS and the address does not say that this is meant. */
export function isPlaintextUnsaid(url: string): boolean {
  const { host, ssl } = new pg.Client({ connectionString: url });
  const isNear = host.startsWith("/") || LOOPBACK.test(host);
  return !ssl && !isNear && !new URL(url).searchParams.has("sslmode");
}
