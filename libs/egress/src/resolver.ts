// Names to addresses without the system's resolver: getaddrinfo runs on a pool of four threads, and four look-ups that
// never end would delay all others. A running look-up is shared, and an answer is kept for a minute at most, so a name
// that moves to a forbidden address is found out at the next connection.
import { lookup, Resolver } from "node:dns/promises";
import { EgressFault } from "./faults.ts";
import { isLocalName } from "./policy.ts";

const LOOKUP_TIMEOUT_MS = 2_000;
// The second try takes twice as long, and both end before the look-up does: one slow family loses its own turn only.
const TRY_TIMEOUT_MS = 600;
const KEEP_MAX_MS = 60_000;
const KEEP_ABSENCE_MS = 5_000;
// Shorter than the pause before a retry, so that a failure of the resolvers costs one attempt and not two.
const KEEP_FAILURE_MS = 500;
const ENTRIES_MAX = 10_000;
const NO_SUCH_RECORD = new Set(["ENODATA", "ENOTFOUND"]);

export interface Answer {
  addresses: string[];
  keepMs: number;
}

export type Resolve = (hostname: string) => Promise<string[]>;

export function createResolver(options: {
  /** Resolvers to query instead of the system's, as "address:port". */
  servers?: readonly string[] | undefined;
  /** Names that the system resolves, hosts file and search domains included. */
  isSystemName: (hostname: string) => boolean;
}): Resolve {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const known = new Map<string, { answer: Promise<Answer>; expiresAt: number }>();

  function resolve(hostname: string): Promise<Answer> {
    if (isLocalName(hostname)) return Promise.resolve(LOCAL);
    if (options.isSystemName(hostname)) return bounded(resolveBySystem(hostname));
    return bounded(resolveByServers(resolver, hostname));
  }

  function remember(hostname: string): Promise<Answer> {
    const entry = { answer: resolve(hostname), expiresAt: Number.POSITIVE_INFINITY };
    known.delete(hostname);
    known.set(hostname, entry);
    function keep(ms: number) {
      entry.expiresAt = performance.now() + ms;
    }

    entry.answer.then(
      ({ keepMs }) => keep(Math.min(keepMs, KEEP_MAX_MS)),
      (error: unknown) => keep(error instanceof NoSuchName ? KEEP_ABSENCE_MS : KEEP_FAILURE_MS),
    );
    for (const oldest of known.keys()) {
      if (known.size <= ENTRIES_MAX) break;
      known.delete(oldest);
    }
    return entry.answer;
  }

  return async (hostname) => {
    const entry = known.get(hostname);
    const fresh = entry !== undefined && performance.now() < entry.expiresAt;
    const { addresses } = await (fresh ? entry.answer : remember(hostname));
    return addresses;
  };
}

/** The resolvers report that the name has no address. */
class NoSuchName extends EgressFault {
  constructor() {
    super("dns");
  }
}

const LOCAL: Answer = { addresses: ["127.0.0.1", "::1"], keepMs: KEEP_MAX_MS };

async function resolveByServers(resolver: Resolver, hostname: string): Promise<Answer> {
  const families = await Promise.allSettled([
    resolver.resolve4(hostname, { ttl: true }),
    resolver.resolve6(hostname, { ttl: true }),
  ]);
  const records = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
  if (records.length === 0) throw faultOfQuestion(families);
  return {
    addresses: records.map(({ address }) => address),
    keepMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
  };
}

function faultOfQuestion(families: PromiseSettledResult<unknown>[]) {
  const codes = families.map((family) => family.status === "rejected" && family.reason.code);
  if (codes.every((code) => NO_SUCH_RECORD.has(code))) return new NoSuchName();
  return new EgressFault(codes.includes("ETIMEOUT") ? "dns_timeout" : "dns");
}

async function resolveBySystem(hostname: string): Promise<Answer> {
  try {
    const found = await lookup(hostname, { all: true });
    return { addresses: found.map(({ address }) => address), keepMs: KEEP_ABSENCE_MS };
  } catch {
    throw new EgressFault("dns");
  }
}

function bounded(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((_resolve, reject) => {
    timer = setTimeout(reject, LOOKUP_TIMEOUT_MS, new EgressFault("dns_timeout"));
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
