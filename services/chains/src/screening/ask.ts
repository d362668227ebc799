// Asks what a project has set whether a wallet may pay. Silence, errors and answers that say nothing are no answer: the
// project has decided what follows.
import { setTimeout as pause } from "node:timers/promises";
import type { Egress } from "@pay/egress";
import {
  type Address,
  type ChainId,
  checksumAddress,
  type ScreeningCause,
  type ScreeningPolicy,
} from "@pay/values";
import { z } from "zod";
import { toWord } from "../providers/calls.ts";
import type { Providers } from "../providers/providers.ts";
import { tryRequest } from "../providers/rpc-error.ts";

export interface ScreenedPayer {
  paymentId: string;
  chainId: ChainId;
  address: Address;
}

export interface ScreeningAnswer {
  isBlocked: boolean;
  cause: ScreeningCause | undefined;
}

/** Undefined where nothing has answered in time. */
export type Ask = (
  policy: ScreeningPolicy,
  payer: ScreenedPayer,
) => Promise<ScreeningAnswer | undefined>;

/** Of one attempt. */
const ANSWER_MS = 3_000;

export function createAsk(
  providers: ReadonlyMap<ChainId, Pick<Providers, "readers">>,
  egress: Pick<Egress, "post">,
): Ask {
  return async ({ oracle, list, url }, payer) => {
    if (url !== undefined) return askServer(egress, url, payer);
    if (oracle === undefined) return toAnswer("list", list?.includes(payer.address) ?? false);
    const given = new AbortController();
    const late = pause(ANSWER_MS, undefined, { signal: given.signal }).catch(() => undefined);
    try {
      const chain = providers.get(payer.chainId);
      return await Promise.race([late, askOracle(chain, oracle, payer.address)]);
    } finally {
      given.abort();
    }
  };
}

function toAnswer(cause: ScreeningCause, isBlocked: boolean): ScreeningAnswer {
  return { isBlocked, cause: isBlocked ? cause : undefined };
}

/** The selector of isSanctioned(address). */
const IS_SANCTIONED = "0xdf592f7d";
const YES = `0x${"0".repeat(63)}1`;
const NO = `0x${"0".repeat(64)}`;

/** One provider must not clear a wallet or name one, so all that respond must agree. */
async function askOracle(
  providers: Pick<Providers, "readers"> | undefined,
  oracle: Address,
  address: Address,
): Promise<ScreeningAnswer | undefined> {
  const data = `${IS_SANCTIONED}${toWord(address).slice(2)}`;
  const readers = (await providers?.readers()) ?? [];
  const results = await Promise.all(readers.map((reader) => tryRequest(reader.view(oracle, data))));
  const [first, ...others] = new Set(results.filter((result) => result !== undefined));
  if (others.length > 0 || (first !== YES && first !== NO)) return undefined;
  return toAnswer("oracle", first === YES);
}

const HEADERS = ["content-type", "application/json", "accept", "application/json"];
const answerOfServer = z.object({ flagged: z.boolean() });

/** The URL is the merchant's secret: it is in no line of the log. */
async function askServer(
  egress: Pick<Egress, "post">,
  url: string,
  { paymentId, chainId, address }: ScreenedPayer,
): Promise<ScreeningAnswer | undefined> {
  const body = Buffer.from(
    JSON.stringify({ address: checksumAddress(address), chainId, paymentId }),
  );
  const reply = await egress.post({ url, headers: HEADERS, body, timeoutMs: ANSWER_MS });
  if (reply.fault !== undefined || reply.statusCode !== 200 || !reply.complete) return undefined;
  const answer = answerOfServer.safeParse(parseJson(reply.body));
  return answer.success ? toAnswer("url", answer.data.flagged) : undefined;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}
