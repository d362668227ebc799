// Which buckets a request draws from, and how large they are.

import type { Caller } from "../../keys/caller.ts";
import type { LimitClass, Params, Route } from "../route.ts";
import type { Bucket, Policy } from "./bucket.ts";
import { toNetwork } from "./network.ts";
import type { RateLimits } from "./rate-limits.ts";

/** Ids are shorter; a text that a client invented must not become a long key. */
const NAME_PART_MAX = 64;

export interface Source {
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
  params: Params;
}

/** A rate of 0 means no limit. */
function policy(name: string, count: number, perUs: number, burst = count): Policy | undefined {
  return count === 0
    ? undefined
    : { name, burst: Math.max(burst, 1), refillUs: Math.floor(perUs / count) };
}

/** A page loads no more files than this, and one that misses a file does not work. */
const FILES_PER_PAGE = 8;

export type PageKind = "address" | "files";

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;

export interface Policies {
  /** Of a request; none where nothing is limited. */
  listBuckets(route: Route, caller: Caller, source: Source): Bucket[];
  /** Of a request that is refused for what its caller may do. */
  forRejected(route: Route, caller: Caller, source: Source): Bucket[];
  /** What a wrong client secret takes from. */
  ofWrongSecret(caller: Caller, source: Source): Bucket[];
  /** What a wrong key takes from. It belongs to an address and to no project. */
  ofWrongKey(source: Pick<Source, "clientAddress">): Bucket[];
  /** What a page takes from. It belongs to an address and to no project. */
  ofPage(kind: PageKind, source: Pick<Source, "clientAddress">): Bucket[];
}

export function createPolicies({ live, test, member, ...limits }: RateLimits): Policies {
  const policies = {
    live: policy("project", live.perSecond, SECOND_US, live.burst),
    test: policy("project", test.perSecond, SECOND_US, test.burst),
    member: policy("member", member.perSecond, SECOND_US, member.burst),
    route: policy("route", limits.routePerSecond, SECOND_US),
    address: policy("address", limits.addressPerSecond, SECOND_US),
    files: policy("files", limits.addressPerSecond * FILES_PER_PAGE, SECOND_US),
    refused: policy("refused", limits.addressPerSecond, SECOND_US),
    public: policy("public", limits.publicPerSecond, SECOND_US),
    payment: policy("payment", limits.wrongSecretsPerMinute, MINUTE_US),
    sso: policy("sso", limits.ssoPerSecond, SECOND_US),
    keys: policy("keys", limits.wrongKeysPerMinute, MINUTE_US),
  };
  type Kind = keyof typeof policies;

  /** Every name begins with the project, so that no project can empty another's bucket. */
  function getOwner({ projectId, mode }: Caller): string {
    return `{${projectId}:${mode}}`;
  }

  function bucket(kind: Kind, owner: string, of = "", cost: Bucket["cost"] = 1): Bucket[] {
    const found = policies[kind];
    return found === undefined
      ? []
      : [{ name: `${owner} ${found.name} ${of}`, policy: found, cost }];
  }

  /** Of one payment and one address: failures from this address delay no other address. */
  function payment(caller: Caller, { clientAddress, params }: Source, cost: Bucket["cost"]) {
    const of = `${params.id.slice(0, NAME_PART_MAX)} ${toNetwork(clientAddress())}`;
    return bucket("payment", getOwner(caller), of, cost);
  }

  function address(caller: Caller, { clientAddress }: Source): Bucket[] {
    return bucket("address", getOwner(caller), toNetwork(clientAddress()));
  }

  function open(caller: Caller, source: Source): Bucket[] {
    return [...address(caller, source), ...bucket("public", getOwner(caller))];
  }

  function own(caller: Caller) {
    return bucket(caller.mode, getOwner(caller));
  }

  const draws: Record<LimitClass, Policies["listBuckets"]> = {
    address: (_, caller, source) => address(caller, source),
    standard: (route, caller) => [
      ...own(caller),
      ...bucket("route", getOwner(caller), `${route.method} ${route.path}`),
    ],
    public: (_, caller, source) => open(caller, source),
    confirm: (_, caller, source) => [...open(caller, source), ...payment(caller, source, 0)],
    // It names no project, so what all share must not be a bucket that one address can empty.
    open: (_, caller, source) => [...address(caller, source), ...payment(caller, source, 0)],
    sso: (_, caller) => [...own(caller), ...bucket("sso", getOwner(caller))],
  };
  const listBuckets: Policies["listBuckets"] = (route, caller, source) => {
    // A busy page must not use up what the shop's server may ask.
    if (caller.type === "member") return bucket("member", `{${caller.actor}}`);
    // Shoppers of a merchant must not use up what the merchant's server may ask.
    const byShopper = caller.type === "publishable" && route.limit === "standard";
    return draws[byShopper ? "public" : route.limit](route, caller, source);
  };
  return {
    listBuckets: listBuckets,
    // A publishable key is in everyone's hands: who is refused with it takes nothing that shoppers need.
    forRejected: (route, caller, source) =>
      caller.type === "publishable"
        ? bucket("refused", getOwner(caller), toNetwork(source.clientAddress()))
        : listBuckets(route, caller, source),
    ofWrongSecret: (caller, source) => payment(caller, source, 1),
    ofPage: (kind, { clientAddress }) => bucket(kind, `{pages ${toNetwork(clientAddress())}}`),
    ofWrongKey: ({ clientAddress }) => bucket("keys", `{${toNetwork(clientAddress())}}`),
  };
}
