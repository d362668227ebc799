// Which buckets a request draws from, and how large they are.
import type { Caller } from "../caller.ts";
import type { GatewayConfig } from "../config.ts";
import type { LimitClass, Params, Route } from "../route.ts";
import type { Bucket, Policy } from "./bucket.ts";

/** Addresses and ids are shorter; what a client made up must not become a long name. */
const NAME_PART_MAX = 64;

export type LimitsConfig = Pick<
  GatewayConfig,
  Extract<keyof GatewayConfig, `RATE_LIMIT_${string}`>
>;

export interface Source {
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
  params: Params;
}

/** A rate of 0 means no limit. */
const policy = (name: string, count: number, perUs: number, burst = count): Policy | undefined =>
  count === 0
    ? undefined
    : { name, burst: Math.max(burst, 1), refillUs: Math.floor(perUs / count) };

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;

/** Answers the buckets of a request, which are none where nothing is limited. */
export const createPolicies = (config: LimitsConfig) => {
  const live = config.RATE_LIMIT_LIVE_PER_SECOND;
  const test = config.RATE_LIMIT_TEST_PER_SECOND;
  const policies = {
    live: policy("project", live, SECOND_US, config.RATE_LIMIT_LIVE_BURST),
    test: policy("project", test, SECOND_US, config.RATE_LIMIT_TEST_BURST),
    route: policy("route", config.RATE_LIMIT_ROUTE_PER_SECOND, SECOND_US),
    address: policy("address", config.RATE_LIMIT_ADDRESS_PER_SECOND, SECOND_US),
    payment: policy("payment", config.RATE_LIMIT_CONFIRM_PER_MINUTE, MINUTE_US),
    sso: policy("sso", config.RATE_LIMIT_SSO_PER_SECOND, SECOND_US),
  };

  return (route: Route, caller: Caller, source: Source): Bucket[] => {
    // Every name begins with the project, so that no project can empty another's bucket.
    const owner = `{${caller.projectId}:${caller.mode}}`;
    const bucket = (policy: Policy | undefined, of = ""): Bucket[] =>
      policy === undefined ? [] : [{ name: `${owner} ${policy.name} ${of}`, policy }];
    const own = () => bucket(policies[caller.mode]);
    const address = () => bucket(policies.address, source.clientAddress().slice(0, NAME_PART_MAX));
    const payment = () => bucket(policies.payment, source.params.id.slice(0, NAME_PART_MAX));
    const draws: Record<LimitClass, () => Bucket[]> = {
      none: () => [],
      standard: () => [...own(), ...bucket(policies.route, `${route.method} ${route.path}`)],
      public: address,
      confirm: () => [...address(), ...payment()],
      sso: () => [...own(), ...bucket(policies.sso)],
    };
    // Shoppers of a merchant must not use up what the merchant's server may ask.
    const byShopper = caller.type === "publishable" && route.limit === "standard";
    return draws[byShopper ? "public" : route.limit]();
  };
};
