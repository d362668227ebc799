// One provider of a chain: its calls with their decoding, and its standing, which is what its last answers were.
import type { Clock, Log } from "@pay/process";
import { createRange, type Range } from "../domain/range.ts";
import { rpcFaultsTotal } from "../metrics.ts";
import { type Asking, createAsking } from "./asking.ts";
import { type Call, type Endpoint, RpcError } from "./endpoint.ts";
import { createReader, type Query, type QueryEach, type QueryMany, type Reader } from "./reader.ts";
import { createStanding, type Standing } from "./standing.ts";
import { asksTogether } from "./together.ts";

const CHECK_INTERVAL_MS = 3_600_000;
const REFUSED_MS = 60_000;
/** Calls in one request. */
const BATCH_MAX = 50;

export interface Provider {
  readonly reader: Reader;
  readonly standing: Standing;
  isResting(): boolean;
  /** Whether it has named its chain within the last hour. */
  isKnown(): boolean;
  /** The same, and that it has answered since its last fault. */
  isProven(): boolean;
  /** Whether no check of it has ended yet. */
  isNew(): boolean;
  /** What it last named as its head, and how many blocks lower that was than the highest of all. */
  head(): number | undefined;
  behind(): number | undefined;
  /** The check that runs at present. */
  checking(): Promise<boolean> | undefined;
  /** Undefined where a check runs already. */
  beginCheck(): Promise<boolean> | undefined;
}

export interface ProviderOptions {
  chainId: number;
  clock: Clock;
  log: Log;
  /** Whether the chain has no other provider. */
  isAlone: boolean;
  /** Of all providers of the chain. */
  highestHead(): number;
}

export function createProvider(endpoint: Endpoint, options: ProviderOptions): Provider {
  const { chainId, clock, log, highestHead } = options;
  let provenUntil = 0;
  let isNew = true;
  let head: number | undefined;
  let behind: number | undefined;
  let checking: Promise<boolean> | undefined;

  function now() {
    return clock.now().getTime();
  }

  const standing = createStanding(now, options);
  const reader = watchesHead(
    createDecodingReader(endpoint, createAsking(endpoint, standing, { ...options, now })),
    (number) => {
      head = number;
      behind = highestHead() - number;
    },
  );

  function isKnown() {
    return provenUntil > now();
  }

  async function prove(): Promise<boolean> {
    try {
      const said = await reader.chainId();
      if (said === chainId) {
        provenUntil = now() + CHECK_INTERVAL_MS;
        return true;
      }
      rpcFaultsTotal.inc({ chain: chainId, kind: "wrong_chain" });
      log.error({ chainId, said, provider: reader.name }, "a provider is on another chain");
      provenUntil = 0;
      standing.hold(REFUSED_MS);
      return false;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  return {
    reader,
    standing,
    isResting: () => standing.restsUntil() > now(),
    isKnown,
    isProven: () => isKnown() && !standing.isDoubted(),
    isNew: () => isNew,
    head: () => head,
    behind: () => behind,
    checking: () => checking,
    beginCheck: () => {
      if (checking !== undefined) return undefined;
      checking = prove().finally(() => {
        checking = undefined;
        isNew = false;
      });
      return checking;
    },
  };
}

function watchesHead(reader: Reader, reached: (number: number) => void): Reader {
  return {
    ...reader,
    block: async (at) => {
      const block = await reader.block(at);
      if (at === "latest" && block !== null) reached(block.number);
      return block;
    },
  };
}

function createDecodingReader(endpoint: Endpoint, noted: Asking): Reader {
  /** Calls of a method that the next request holds: fewer after an answer that was too large. */
  const sizes = new Map<string, Range>();
  const query: Query = (method, params, decode) =>
    noted(method, async () => decode(await endpoint.call(method, params)));
  const queryMany: QueryMany = async <T>(
    calls: readonly Call[],
    decode: (answer: unknown, at: number) => T | undefined,
    max = BATCH_MAX,
  ) => {
    const found: T[] = [];
    while (found.length < calls.length) {
      const from = found.length;
      const method = calls[from]?.method ?? "";
      const pages = pagesOf(method, max);
      const page = calls.slice(from, from + pages.size);
      try {
        const decoded = await noted(method, async () => {
          const answers = await endpoint.callMany(page);
          const values = answers.map((answer, at) => decode(answer, from + at));
          return values.includes(undefined) ? undefined : (values as T[]);
        });
        pages.succeeded({ blocks: page.length, results: 0 });
        found.push(...decoded);
      } catch (error) {
        if (!isTooMuch(error) || page.length === 1 || !pages.refused()) throw error;
      }
    }
    return found;
  };
  const queryEach: QueryEach = async <T>(
    calls: readonly Call[],
    decode: (answer: unknown) => T | undefined,
  ) => {
    const found: (T | RpcError)[] = [];
    for (let from = 0; from < calls.length; from += BATCH_MAX) {
      const page = calls.slice(from, from + BATCH_MAX);
      const answers = await endpoint
        .callEach(page)
        .catch((error: unknown) => page.map(() => error));
      // A fault of the whole request is one fault of the provider, and so is the same in each place of its answer.
      const said = new Map<unknown, Promise<T | RpcError>>();
      for (const [at, answer] of answers.entries()) {
        const known = answer instanceof RpcError ? said.get(answer) : undefined;
        const one =
          known ?? outcomeOf(noted(page[at]?.method ?? "", () => decoded(answer, decode)));
        said.set(answer, one);
        found.push(await one);
      }
    }
    return found;
  };
  function pagesOf(method: string, max: number): Range {
    const key = `${method} ${max}`;
    const pages = sizes.get(key) ?? createRange(max);
    sizes.set(key, pages);
    return pages;
  }

  const queries = { ask: query, askMany: queryMany, askEach: queryEach };
  return asksTogether(createReader(endpoint.name, queries));
}

function isTooMuch(error: unknown): boolean {
  return error instanceof RpcError && (error.fault === "too_large" || error.fault === "too_wide");
}

async function decoded<T>(answer: unknown, decode: (answer: unknown) => T | undefined) {
  if (answer instanceof Error) throw answer;
  return decode(answer);
}

async function outcomeOf<T>(asked: Promise<T>): Promise<T | RpcError> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
}
