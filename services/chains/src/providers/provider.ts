// One provider of a chain: its calls with their decoding, and its health.
import type { Clock, Log } from "@pay/process";
import type { ChainId } from "@pay/values";
import { rpcFaultsTotal } from "../metrics.ts";
import { coalesceRequests } from "./coalesce-requests.ts";
import { createRange, type Range } from "./domain/range.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import { createProviderHealth, type ProviderHealth } from "./provider-health.ts";
import type { Paging, Query, QueryAll, QueryEach, QueryMany } from "./queries.ts";
import { createReader, type Reader } from "./reader.ts";
import { createRequestWithHealth, type RequestWithHealth } from "./request-with-health.ts";
import { REQUEST_FAULTS, RpcError } from "./rpc-error.ts";

const CHECK_INTERVAL_MS = 3_600_000;
const REFUSED_MS = 60_000;
/** Calls in one request. */
const BATCH_MAX = 50;
const PAGES: Paging = { start: BATCH_MAX, max: BATCH_MAX };
/** Of one answer to many calls: it is parsed in moments, because nothing else of the process runs meanwhile. */
const PAGE_BYTES_MAX = 1_024 * 1_024;
const NO_CALL: Call = { method: "", params: [] };

export interface Provider {
  readonly reader: Reader;
  readonly health: ProviderHealth;
  isResting(): boolean;
  /** Whether it has named its chain within the last hour. */
  isKnown(): boolean;
  /** The same, and it has responded since its last fault, also to pending probes. */
  isProven(): boolean;
  /** It has named its chain since its last fault, and owes an answer to something else. */
  isRecovered(): boolean;
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
  chainId: ChainId;
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
  let isProbing = false;

  function now() {
    return clock.now().getTime();
  }

  const health = createProviderHealth(now, options);
  const request = createRequestWithHealth(endpoint, health, { ...options, now });
  const reader = watchesHead(createDecodingReader(endpoint, request), (number) => {
    head = number;
    behind = highestHead() - number;
  });

  function isKnown() {
    return provenUntil > now();
  }

  /** In the background: who needs an answer meanwhile asks another provider. */
  async function runProbes(): Promise<void> {
    for (const calls of health.pendingProbes()) {
      const requestedAt = now();
      const answer = await settleRequest(request(calls, () => endpoint.callMany(calls)));
      if (!(answer instanceof RpcError)) continue;
      if (!REQUEST_FAULTS.has(answer.fault)) return;
      // Also a refusal is an answer.
      for (const { method } of calls.slice(0, 1)) health.answered(method, requestedAt);
    }
  }

  function probe(): void {
    isProbing = true;
    runProbes()
      .catch((error: unknown) => log.error({ chainId, err: error }, "a provider was not probed"))
      .finally(() => {
        isProbing = false;
      });
  }

  async function prove(): Promise<boolean> {
    try {
      const said = await reader.chainId();
      if (said === chainId) {
        provenUntil = now() + CHECK_INTERVAL_MS;
        if (health.pendingProbes().length > 0) probe();
        return true;
      }
      rpcFaultsTotal.inc({ chain: chainId, kind: "wrong_chain" });
      log.error({ chainId, said, provider: reader.name }, "a provider is on another chain");
      provenUntil = 0;
      health.hold(REFUSED_MS);
      return false;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  return {
    reader,
    health,
    isResting: () => health.restsUntil() > now(),
    isKnown,
    isProven: () => isKnown() && !health.isSuspect(),
    isRecovered: () => isKnown() && health.isRecovered(),
    isNew: () => isNew,
    head: () => head,
    behind: () => behind,
    checking: () => checking,
    beginCheck: () => {
      if (checking !== undefined || isProbing) return undefined;
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

function createDecodingReader(endpoint: Endpoint, noted: RequestWithHealth): Reader {
  /** Calls of a method that the next request holds: fewer after an answer that was too large. */
  const sizes = new Map<string, Range>();
  const query: Query = (method, params, decode) =>
    noted([{ method, params }], async () => decode(await endpoint.call(method, params)));
  const queryMany: QueryMany = async <T>(
    calls: readonly Call[],
    decode: (answer: unknown, at: number) => T | undefined,
    paging = PAGES,
  ) => {
    const found: T[] = [];
    while (found.length < calls.length) {
      const from = found.length;
      const first = calls[from] ?? NO_CALL;
      const pages = getPages(first.method, paging);
      const page = calls.slice(from, from + pages.size);
      try {
        const decoded = await noted(page, async () => {
          const { values: answers, bytes } = await endpoint.callMany(page);
          pages.succeeded({ blocks: page.length, results: bytes });
          const values = answers.map((answer, at) => decode(answer, from + at));
          return values.includes(undefined) ? undefined : (values as T[]);
        });
        found.push(...decoded);
      } catch (error) {
        if (!isTooMuch(error) || page.length === 1 || !pages.refused()) throw error;
      }
    }
    return found;
  };
  const queryAll: QueryAll = (calls, decode) =>
    noted(calls, async () => decode((await endpoint.callMany(calls)).values));
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
          known ?? settleRequest(noted(page.slice(at, at + 1), () => decoded(answer, decode)));
        said.set(answer, one);
        found.push(await one);
      }
    }
    return found;
  };
  function getPages(method: string, { start, max }: Paging): Range {
    const key = `${method} ${max}`;
    const pages = sizes.get(key) ?? createRange(max, { start, resultsMax: PAGE_BYTES_MAX });
    sizes.set(key, pages);
    return pages;
  }

  const queries = { query, queryAll, queryMany, queryEach };
  return coalesceRequests(createReader(endpoint.name, queries));
}

function isTooMuch(error: unknown): boolean {
  return error instanceof RpcError && (error.fault === "too_large" || error.fault === "too_wide");
}

async function decoded<T>(answer: unknown, decode: (answer: unknown) => T | undefined) {
  if (answer instanceof Error) throw answer;
  return decode(answer);
}

async function settleRequest<T>(asked: Promise<T>): Promise<T | RpcError> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
}
