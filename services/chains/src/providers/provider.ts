// One provider of a chain: its calls with their decoding, and its standing, which is what its last answers were.
import type { Clock, Log } from "@pay/process";
import { Counter } from "prom-client";
import { type Call, type Endpoint, FAULTS_OF_THE_QUESTION, RpcError } from "./endpoint.ts";
import { createReader, type Query, type QueryEach, type QueryMany, type Reader } from "./reader.ts";
import { asksTogether } from "./together.ts";

// A shopper may submit a hash whose receipt or trace is huge, odd or slow to make: such questions must not count against
// a provider.
const HARD_QUESTIONS: ReadonlySet<string> = new Set(["debug_traceTransaction"]);

const CHECK_INTERVAL_MS = 3_600_000;
const REFUSED_MS = 60_000;
const REST_MS = 1_000;
const REST_MAX_MS = 5_000;
/** Calls in one request. */
const BATCH_MAX = 50;

const faultsTotal = new Counter({
  name: "chain_rpc_errors_total",
  help: "Calls to providers that failed, by chain and kind of fault",
  labelNames: ["chain", "kind"],
});

export interface Provider {
  readonly reader: Reader;
  /** In a row, until the next answer. */
  faults(): number;
  isResting(): boolean;
  /** Whether it has named its chain within the last hour. */
  isProven(): boolean;
  /** The check that runs at present. */
  checking(): Promise<boolean> | undefined;
  /** Undefined where a check runs already. */
  beginCheck(): Promise<boolean> | undefined;
}

export interface ProviderOptions {
  chainId: number;
  clock: Clock;
  log: Log;
}

export function createProvider(endpoint: Endpoint, options: ProviderOptions): Provider {
  const { chainId, clock, log } = options;
  let faults = 0;
  let restUntil = 0;
  let provenUntil = 0;
  let checking: Promise<boolean> | undefined;

  function now() {
    return clock.now().getTime();
  }

  function note(method: string, error: RpcError) {
    faultsTotal.inc({ chain: chainId, kind: error.fault });
    if (FAULTS_OF_THE_QUESTION.has(error.fault) || HARD_QUESTIONS.has(method)) return;
    restUntil = now() + Math.min(REST_MS * 2 ** faults, REST_MAX_MS);
    faults++;
    log.warn({ chainId, err: error }, "a provider failed");
  }

  async function noted<T>(method: string, ask: () => Promise<T | undefined>): Promise<T> {
    try {
      const decoded = await ask();
      if (decoded === undefined) throw new RpcError("implausible", `${endpoint.name}, ${method}`);
      faults = 0;
      return decoded;
    } catch (error) {
      if (error instanceof RpcError) note(method, error);
      throw error;
    }
  }

  const reader = createDecodingReader(endpoint, noted);

  async function prove(): Promise<boolean> {
    try {
      const said = await reader.chainId();
      if (said === chainId) {
        provenUntil = now() + CHECK_INTERVAL_MS;
        return true;
      }
      faultsTotal.inc({ chain: chainId, kind: "wrong_chain" });
      log.error({ chainId, said, provider: reader.name }, "a provider is on another chain");
      restUntil = now() + REFUSED_MS;
      return false;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  return {
    reader,
    faults: () => faults,
    isResting: () => restUntil > now(),
    isProven: () => provenUntil > now(),
    checking: () => checking,
    beginCheck: () => {
      if (checking !== undefined) return undefined;
      checking = prove().finally(() => {
        checking = undefined;
      });
      return checking;
    },
  };
}

/** Runs a call; an answer that cannot be decoded is undefined and a fault. */
type Noted = <T>(method: string, ask: () => Promise<T | undefined>) => Promise<T>;

function createDecodingReader(endpoint: Endpoint, noted: Noted): Reader {
  const query: Query = (method, params, decode) =>
    noted(method, async () => decode(await endpoint.call(method, params)));
  const queryMany: QueryMany = async <T>(
    calls: readonly Call[],
    decode: (answer: unknown, at: number) => T | undefined,
    max = BATCH_MAX,
  ) => {
    const found: T[] = [];
    for (let from = 0; from < calls.length; from += max) {
      const page = calls.slice(from, from + max);
      const decoded = await noted(page[0]?.method ?? "", async () => {
        const answers = await endpoint.callMany(page);
        const values = answers.map((answer, at) => decode(answer, from + at));
        return values.includes(undefined) ? undefined : (values as T[]);
      });
      found.push(...decoded);
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
  const queries = { ask: query, askMany: queryMany, askEach: queryEach };
  return asksTogether(createReader(endpoint.name, queries));
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
