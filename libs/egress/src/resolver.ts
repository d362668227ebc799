// Names to addresses without the system's resolver: getaddrinfo runs on a pool of four threads, and four names that
// never answer would hold up everybody. Questions under way are shared, answers kept no longer than a minute, so a
// name that moves to a forbidden address is found out at the next connection.
import { lookup, Resolver } from "node:dns/promises";
import { EgressFault } from "./faults.ts";
import { isLocalName } from "./policy.ts";

const LOOKUP_TIMEOUT_MS = 2_000;
// The second try takes twice as long, and both end before the look-up does: one slow family loses its own turn only.
const TRY_TIMEOUT_MS = 600;
const KEEP_MAX_MS = 60_000;
const KEEP_FAILURE_MS = 5_000;
const ENTRIES_MAX = 10_000;
const NO_SUCH_RECORD = new Set(["ENODATA", "ENOTFOUND"]);

export interface Answer {
  addresses: string[];
  keepMs: number;
}

export type Resolve = (hostname: string) => Promise<string[]>;

export const createResolver = (options: {
  /** Resolvers to ask instead of the system's, as "address:port". */
  servers?: readonly string[] | undefined;
  /** Names that the system resolves, hosts file and search domains included. */
  isSystemName: (hostname: string) => boolean;
}): Resolve => {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const known = new Map<string, { answer: Promise<Answer>; expiresAt: number }>();

  const ask = (hostname: string): Promise<Answer> => {
    if (isLocalName(hostname)) return Promise.resolve(LOCAL);
    if (options.isSystemName(hostname)) return bounded(askSystem(hostname));
    return bounded(askServers(resolver, hostname));
  };

  const remember = (hostname: string): Promise<Answer> => {
    const entry = { answer: ask(hostname), expiresAt: Number.POSITIVE_INFINITY };
    known.delete(hostname);
    known.set(hostname, entry);
    const keep = (ms: number) => {
      entry.expiresAt = performance.now() + ms;
    };
    entry.answer.then(
      ({ keepMs }) => keep(Math.min(keepMs, KEEP_MAX_MS)),
      () => keep(KEEP_FAILURE_MS),
    );
    for (const oldest of known.keys()) {
      if (known.size <= ENTRIES_MAX) break;
      known.delete(oldest);
    }
    return entry.answer;
  };

  return async (hostname) => {
    const entry = known.get(hostname);
    const fresh = entry !== undefined && performance.now() < entry.expiresAt;
    const { addresses } = await (fresh ? entry.answer : remember(hostname));
    return addresses;
  };
};

const LOCAL: Answer = { addresses: ["127.0.0.1", "::1"], keepMs: KEEP_MAX_MS };

const askServers = async (resolver: Resolver, hostname: string): Promise<Answer> => {
  const families = await Promise.allSettled([
    resolver.resolve4(hostname, { ttl: true }),
    resolver.resolve6(hostname, { ttl: true }),
  ]);
  const records = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
  if (records.length === 0) throw new EgressFault(faultOfQuestion(families));
  return {
    addresses: records.map(({ address }) => address),
    keepMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
  };
};

const faultOfQuestion = (families: PromiseSettledResult<unknown>[]) => {
  const codes = families.map((family) => family.status === "rejected" && family.reason.code);
  return codes.every((code) => NO_SUCH_RECORD.has(code)) || !codes.includes("ETIMEOUT")
    ? "dns"
    : "dns_timeout";
};

const askSystem = async (hostname: string): Promise<Answer> => {
  try {
    const found = await lookup(hostname, { all: true });
    return { addresses: found.map(({ address }) => address), keepMs: KEEP_FAILURE_MS };
  } catch {
    throw new EgressFault("dns");
  }
};

const bounded = (answer: Promise<Answer>): Promise<Answer> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((_resolve, reject) => {
    timer = setTimeout(reject, LOOKUP_TIMEOUT_MS, new EgressFault("dns_timeout"));
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
};
