// Asks what a project has set whether a wallet may pay. Silence, errors and answers that say nothing are no answer: the
// project has decided what follows.
import { setTimeout as pause } from "node:timers/promises";
import type { Address, ChainId, ScreeningCause, ScreeningPolicy } from "@pay/values";
import { toWord } from "../providers/calls.ts";
import type { Providers } from "../providers/providers.ts";
import { tryRequest } from "../providers/rpc-error.ts";

export interface ScreenedPayer {
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

export function createAsk(providers: ReadonlyMap<ChainId, Pick<Providers, "readers">>): Ask {
  return async ({ oracle, list }, payer) => {
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
