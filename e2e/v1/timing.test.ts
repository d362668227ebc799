// What a guesser could learn from the time of a refusal: nothing. Keys that begin like a real one, keys nobody ever
// made and keys that were revoked are asked for in turn, at random; Welch's t-test must not tell their times apart,
// neither when a key is new to the gateway nor when it was just refused. That a key is remembered does show, which
// proves that the measurement sees differences of that size.
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Client, createClient } from "./ask.ts";
import { askWith, describeWithProduct, type Product, startProduct } from "./product.ts";

/** Of each kind; the first ones only warm up what is measured. */
const KEYS = 1_200;
const WARM_UP = 50;
const MAKING = 25;
/** What is beyond in either kind is the machine's doing; cut for both at the same place. */
const KEPT_QUANTILE = 0.9;
/** A t beyond it has a chance of one in a hundred thousand when there is no difference. */
const T_MAX = 4.5;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 43;
const SHARED_LENGTH = 30;

const KINDS = ["begins like a real one", "was never made", "was revoked"] as const;
type Kind = (typeof KINDS)[number];
type Times = Record<Kind, number[]>;

const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

describeWithProduct("the time of a refusal", () => {
  let product: Product;
  let client: Client;
  let keys: Record<Kind, string[]>;

  beforeAll(async () => {
    product = await startProduct();
    // One connection, so that every request takes the same way.
    client = createClient(product.credentials.baseUrl);
    const real = product.credentials.secretKey;
    const begin = real.slice(0, "sk_live_".length + SHARED_LENGTH);
    const many = <T>(make: () => T) => Array.from({ length: KEYS }, make);
    keys = {
      "begins like a real one": many(() => begin + randomText(SECRET_LENGTH - SHARED_LENGTH)),
      "was never made": many(() => `sk_live_${randomText(SECRET_LENGTH)}`),
      "was revoked": await revokedKeys(product),
    };
  }, 180_000);
  afterAll(async () => {
    client?.close();
    await product?.stop();
  }, 60_000);

  const refusalMs = async (key: string): Promise<number> => {
    const startedMs = performance.now();
    const { status } = await client.ask("GET", "/v1/projects/me", {
      headers: { "x-secret-key": key },
    });
    const tookMs = performance.now() - startedMs;
    if (status !== 401) throw new Error(`a key was answered with ${status}`);
    return tookMs;
  };

  /** Each key twice: new to the gateway, and again at once, while it is remembered. */
  const measure = async (): Promise<{ first: Times; again: Times }> => {
    const times = (): Times => ({
      "begins like a real one": [],
      "was never made": [],
      "was revoked": [],
    });
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
  };

  test("tells no kind of wrong key from another", async () => {
    const { first, again } = await measure();
    const lines: string[] = [];
    const judge = (what: string, one: number[], other: number[]): number => {
      const { t, means } = welch(one, other);
      const shown = means.map((mean) => `${mean.toFixed(3)} ms`).join(" and ");
      lines.push(`timing: ${what}: t = ${t.toFixed(2)} (${shown})`);
      return Math.abs(t);
    };
    const told = [first, again].flatMap((times, at) =>
      PAIRS.map(([one, other]) => {
        const what = `${one} / ${other}, ${at === 0 ? "new" : "remembered"}`;
        return { what, toldApart: judge(what, times[one], times[other]) > T_MAX };
      }),
    );
    const control = judge(
      "new / remembered, which may be told apart",
      first["was never made"],
      again["was never made"],
    );
    process.stderr.write(`${lines.join("\n")}\n`);
    expect(told.filter(({ toldApart }) => toldApart)).toEqual([]);
    expect(control).toBeGreaterThan(T_MAX);
  }, 180_000);

  test("and no word or header does", async () => {
    const shown = async (kind: Kind) => {
      const key = keys[kind].at(-1) as string;
      const headers = { "x-secret-key": key };
      const answer = await client.ask("GET", "/v1/projects/me", { headers });
      const { date: _, "x-request-id": __, ...others } = answer.headers;
      return { text: answer.text, headers: others };
    };
    const [one, ...others] = await Promise.all(KINDS.map(shown));
    for (const other of others) expect(other).toEqual(one);
  });
});

const PAIRS: [Kind, Kind][] = [
  ["begins like a real one", "was never made"],
  ["begins like a real one", "was revoked"],
  ["was never made", "was revoked"],
];

const shuffled = <T>(items: readonly T[]): T[] => {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
};

/** Welch's t of two samples of unequal variance, of what both have below one common limit. */
const welch = (one: number[], other: number[]): { t: number; means: [number, number] } => {
  const all = [...one, ...other].sort((a, b) => a - b);
  const limit = all[Math.floor(all.length * KEPT_QUANTILE)] as number;
  const [a, b] = [one, other].map((times) => moments(times.filter((ms) => ms <= limit)));
  if (a === undefined || b === undefined) throw new Error("nothing was measured");
  const t = (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
  return { t, means: [a.mean, b.mean] };
};

const moments = (times: number[]) => {
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  const squares = times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0);
  return { count: times.length, mean, variance: squares / (times.length - 1) };
};

const revokedKeys = async ({ askOnly, credentials }: Product): Promise<string[]> => {
  const ask = askWith(askOnly, credentials.secretKey);
  const path = "/v1/projects/me/keys";
  const makeAndRevoke = async (): Promise<string> => {
    const { body } = await ask("POST", path, { type: "secret", mode: "live" });
    const { status } = await ask("DELETE", `${path}/${body.id}`);
    if (status !== 200) throw new Error(`a key could not be revoked: ${status}`);
    return body.key;
  };
  const made: string[] = [];
  while (made.length < KEYS) {
    made.push(...(await Promise.all(Array.from({ length: MAKING }, makeAndRevoke))));
  }
  return made;
};
