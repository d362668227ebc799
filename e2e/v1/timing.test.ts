// The time of a refusal shows nothing about a wrong key. Keys that begin like a real key, keys that were never made and
// revoked keys are sent in random order. Welch's t-test must find no difference between their times, neither for a key
// that is new to the gateway nor for one that was just refused. A cached key does differ from a new one, which proves
// that the measurement detects differences of that size.
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Client, createClient } from "./ask.ts";
import { askWith, describeWithProduct, type Product, startProduct } from "./product.ts";

/** Keys of each kind. The first keys only warm up the caches. */
const KEYS = 1_200;
const WARM_UP = 50;
const MAKING = 25;
/** Longer times come from other load on the machine. Both kinds are cut at the same limit. */
const KEPT_QUANTILE = 0.6;
/** On a busy machine one measurement may not be fine enough to see even the known difference. */
const ROUNDS_MAX = 3;
/** A t beyond it has a chance of one in a hundred thousand when there is no difference. */
const T_MAX = 4.5;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 43;
const SHARED_LENGTH = 30;

const KINDS = ["begins like a real one", "was never made", "was revoked"] as const;
type Kind = (typeof KINDS)[number];
type Times = Record<Kind, number[]>;

function randomText(length: number) {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

describeWithProduct("the time of a refusal", () => {
  let product: Product;
  let client: Client;

  beforeAll(async () => {
    product = await startProduct();
    // One connection, so that every request takes the same way.
    client = createClient(product.credentials.baseUrl);
  });
  afterAll(async () => {
    client?.close();
    await product?.stop();
  });

  async function refusalMs(key: string): Promise<number> {
    const startedMs = performance.now();
    const { status } = await client.ask("GET", "/v1/projects/me", {
      headers: { "x-secret-key": key },
    });
    const tookMs = performance.now() - startedMs;
    if (status !== 401) throw new Error(`a key was answered with ${status}`);
    return tookMs;
  }

  /** Keys that the gateway has not seen yet. */
  async function newKeys(count: number): Promise<Record<Kind, string[]>> {
    const real = product.credentials.secretKey;
    const begin = real.slice(0, "sk_live_".length + SHARED_LENGTH);
    function many<T>(make: () => T) {
      return Array.from({ length: count }, make);
    }

    return {
      "begins like a real one": many(() => begin + randomText(SECRET_LENGTH - SHARED_LENGTH)),
      "was never made": many(() => `sk_live_${randomText(SECRET_LENGTH)}`),
      "was revoked": await revokedKeys(product, count),
    };
  }

  /** Each key twice: new to the gateway, and again at once, while it is remembered. */
  async function measure(): Promise<{ first: Times; again: Times }> {
    function times(): Times {
      return {
        "begins like a real one": [],
        "was never made": [],
        "was revoked": [],
      };
    }

    const keys = await newKeys(KEYS);
    const first = times();
    const again = times();
    for (let at = 0; at < KEYS; at++) {
      for (const kind of shuffled(KINDS)) {
        const key = keys[kind][at] as string;
        const tookMs = [await refusalMs(key), await refusalMs(key)] as const;
        if (at < WARM_UP) continue;
        first[kind].push(tookMs[0]);
        again[kind].push(tookMs[1]);
      }
    }
    return { first, again };
  }

  test("does not depend on the kind of wrong key", async () => {
    // What differs by itself differs in every round, and what does not differ must be fine enough to see the control.
    let differing: string[] | undefined;
    let control = 0;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { first, again } = await measure();
      const found = [first, again].flatMap((times, at) =>
        PAIRS.flatMap(([one, other]) => {
          const what = `${one} / ${other}, ${at === 0 ? "new" : "remembered"}`;
          return judge(what, times[one], times[other]) > T_MAX ? [what] : [];
        }),
      );
      differing = differing?.filter((what) => found.includes(what)) ?? found;
      const [one, other] = [first["was never made"], again["was never made"]];
      control = Math.max(control, judge("new / remembered, which may differ", one, other));
      if (differing.length === 0 && control > T_MAX) break;
    }
    expect(differing).toEqual([]);
    expect(control).toBeGreaterThan(T_MAX);
  }, 900_000);

  test("and the body and headers do not either", async () => {
    const keys = await newKeys(1);
    async function shown(kind: Kind) {
      const key = keys[kind][0] as string;
      const headers = { "x-secret-key": key };
      const answer = await client.ask("GET", "/v1/projects/me", { headers });
      const { date: _, "x-request-id": __, ...others } = answer.headers;
      return { text: answer.text, headers: others };
    }

    const [one, ...others] = await Promise.all(KINDS.map(shown));
    for (const other of others) expect(other).toEqual(one);
  });
});

const PAIRS: [Kind, Kind][] = [
  ["begins like a real one", "was never made"],
  ["begins like a real one", "was revoked"],
  ["was never made", "was revoked"],
];

function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}

/** The t of one comparison, which is also printed. */
function judge(what: string, one: number[], other: number[]): number {
  const { t, means } = welch(one, other);
  const shown = means.map((mean) => `${mean.toFixed(3)} ms`).join(" and ");
  process.stderr.write(`timing: ${what}: t = ${t.toFixed(2)} (${shown})\n`);
  return Math.abs(t);
}

/** Welch's t of two samples of unequal variance, of what both have below one common limit. */
function welch(one: number[], other: number[]): { t: number; means: [number, number] } {
  const all = [...one, ...other].sort((a, b) => a - b);
  const limit = all[Math.floor(all.length * KEPT_QUANTILE)] as number;
  const [a, b] = [one, other].map((times) => moments(times.filter((ms) => ms <= limit)));
  if (a === undefined || b === undefined) throw new Error("nothing was measured");
  const t = (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
  return { t, means: [a.mean, b.mean] };
}

function moments(times: number[]) {
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  const squares = times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0);
  return { count: times.length, mean, variance: squares / (times.length - 1) };
}

async function revokedKeys({ askOnly, credentials }: Product, count: number): Promise<string[]> {
  const ask = askWith(askOnly, credentials.secretKey);
  const path = "/v1/projects/me/keys";
  async function makeAndRevoke(): Promise<string> {
    const { body } = await ask("POST", path, { type: "secret", mode: "live" });
    const { status } = await ask("DELETE", `${path}/${body.id}`);
    if (status !== 200) throw new Error(`a key could not be revoked: ${status}`);
    return body.key;
  }

  const made: string[] = [];
  while (made.length < count) {
    const length = Math.min(MAKING, count - made.length);
    made.push(...(await Promise.all(Array.from({ length }, makeAndRevoke))));
  }
  return made;
}
