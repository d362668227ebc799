// Rate limits as token buckets, kept in memory: a bucket refills steadily and holds at most its burst. A request
// draws from all buckets of its route or from none. A bucket is one number, the time at which it will be full
// again, and the least recently used ones are forgotten, which only ever favours the client.
import type { ServerResponse } from "node:http";
import type { Clock } from "@pay/process";
import { Failure } from "@pay/rpc";
import { LRUCache } from "lru-cache";
import type { Caller } from "./caller.ts";
import type { GatewayConfig } from "./config.ts";
import type { LimitClass, Params, Route } from "./route.ts";

const BUCKETS_MAX = 100_000;

export interface Limits {
  /** Takes one request from every bucket it draws from, or refuses it; says in headers what is left. */
  take(route: Route, caller: Caller, source: Source, response: ServerResponse): void;
}

export interface Source {
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
  params: Params;
}

interface Policy {
  name: string;
  /** Tokens the bucket holds. */
  burst: number;
  /** Time in which one token comes back. */
  refillMs: number;
}

export type LimitsConfig = Pick<
  GatewayConfig,
  Extract<keyof GatewayConfig, `RATE_LIMIT_${string}`>
>;

export const createLimits = (config: LimitsConfig, clock: Clock): Limits => {
  const policies = policiesOf(config);
  const fullAt = new LRUCache<string, number>({ max: BUCKETS_MAX });

  return {
    take: (route, caller, source, response) => {
      const now = clock.now().getTime();
      const draws = drawsOf(route, caller, source, policies).flatMap(({ policy, key }) => {
        if (policy === undefined) return [];
        const name = `${policy.name} ${key}`;
        const { burst, refillMs } = policy;
        const after = Math.max(now, fullAt.get(name) ?? 0) + refillMs;
        return [{ policy, name, after, waitMs: after - now - burst * refillMs }];
      });
      if (draws.length === 0) return;
      const waitMs = Math.max(...draws.map((draw) => draw.waitMs));
      const refused = waitMs > 0;
      if (!refused) for (const { name, after } of draws) fullAt.set(name, after);
      response.setHeader(
        "RateLimit-Policy",
        draws.map(({ policy }) => policyField(policy)).join(", "),
      );
      response.setHeader(
        "RateLimit",
        draws.map((draw) => leftField(draw, now, refused)).join(", "),
      );
      if (!refused) return;
      response.setHeader("Retry-After", Math.ceil(waitMs / 1_000));
      throw new Failure("resource_exhausted", "Too many requests");
    },
  };
};

interface Policies {
  live: Policy | undefined;
  test: Policy | undefined;
  route: Policy | undefined;
  address: Policy | undefined;
  confirm: Policy | undefined;
  sso: Policy | undefined;
}

/** A rate of 0 means no limit. */
const policy = (name: string, count: number, perMs: number, burst = count): Policy | undefined =>
  count === 0 ? undefined : { name, burst: Math.max(burst, 1), refillMs: perMs / count };

const policiesOf = (config: LimitsConfig): Policies => ({
  live: policy("project", config.RATE_LIMIT_LIVE_PER_SECOND, 1_000, config.RATE_LIMIT_LIVE_BURST),
  test: policy("project", config.RATE_LIMIT_TEST_PER_SECOND, 1_000, config.RATE_LIMIT_TEST_BURST),
  route: policy("route", config.RATE_LIMIT_ROUTE_PER_SECOND, 1_000),
  address: policy("address", config.RATE_LIMIT_ADDRESS_PER_SECOND, 1_000),
  confirm: policy("payment", config.RATE_LIMIT_CONFIRM_PER_MINUTE, 60_000),
  sso: policy("sso", config.RATE_LIMIT_SSO_PER_SECOND, 1_000),
});

interface Draw {
  policy: Policy | undefined;
  key: string;
}

/** Every key begins with the project, so that no project can empty another's bucket. */
const drawsOf = (route: Route, caller: Caller, source: Source, policies: Policies): Draw[] => {
  const project = `${caller.projectId}:${caller.mode}`;
  const own = { policy: policies[caller.mode], key: project };
  const address = () => ({ policy: policies.address, key: `${project}:${source.clientAddress()}` });
  const draws: Record<LimitClass, () => Draw[]> = {
    none: () => [],
    standard: () => [
      own,
      { policy: policies.route, key: `${project}:${route.method} ${route.path}` },
    ],
    public: () => [address()],
    confirm: () => [address(), { policy: policies.confirm, key: `${project}:${source.params.id}` }],
    sso: () => [own, { policy: policies.sso, key: project }],
  };
  // Shoppers of a merchant must not use up what the merchant's server may ask.
  const byShopper = caller.type === "publishable" && route.limit === "standard";
  return draws[byShopper ? "public" : route.limit]();
};

const policyField = ({ name, burst, refillMs }: Policy): string =>
  `"${name}";q=${burst};w=${Math.ceil((burst * refillMs) / 1_000)}`;

/** How many requests are left, and in how many seconds the bucket is full again. */
const leftField = (
  { policy: { name, burst, refillMs }, after }: { policy: Policy; after: number },
  now: number,
  refused: boolean,
): string => {
  const filledAt = refused ? after - refillMs : after;
  const left = Math.max(0, Math.floor(burst - (filledAt - now) / refillMs));
  return `"${name}";r=${left};t=${Math.max(0, Math.ceil((filledAt - now) / 1_000))}`;
};
