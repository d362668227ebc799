// The codes of accounts, cached for a minute: many refunds of one shop go to few wallets. Concurrent callers share
// one request.

import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "@pay/process";
import type { Address, ChainId } from "@pay/values";
import type { Providers } from "../providers/providers.ts";
import { tryRequest } from "../providers/rpc-error.ts";

const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;
const ROUNDS = 3;
const PAUSE_MS = 600;

export interface Codes {
  /** Undefined while no provider responds. */
  getCode(chainId: ChainId, account: Address): Promise<string | undefined>;
  /** As it is now, without another attempt. */
  readCode(chainId: ChainId, account: Address): Promise<string | undefined>;
}

export function createCodes(providers: ReadonlyMap<ChainId, Providers>, clock: Clock): Codes {
  const known = new Map<string, { code: Promise<string | undefined>; until: number }>();
  return {
    readCode: (chainId, account) => requestCode(providers.get(chainId), account),
    getCode: (chainId, account) => {
      const key = `${chainId} ${account}`;
      const now = clock.now().getTime();
      const kept = known.get(key);
      if (kept !== undefined && kept.until > now) return kept.code;
      if (known.size >= KEPT_MAX) known.clear();
      const code = requestCodeAgain(providers.get(chainId), account);
      known.set(key, { code, until: now + KEPT_MS });
      // A missing code is shared with concurrent callers and not kept.
      function forget() {
        if (known.get(key)?.code === code) known.delete(key);
      }

      code.then((found) => found === undefined && forget(), forget);
      return code;
    },
  };
}

/** A provider that failed rests for a moment, so the request is retried before the caller gets none. */
async function requestCodeAgain(
  providers: Providers | undefined,
  account: Address,
): Promise<string | undefined> {
  for (let round = 1; ; round++) {
    const code = await requestCode(providers, account);
    if (code !== undefined || providers === undefined || round === ROUNDS) return code;
    await pause(PAUSE_MS);
  }
}

async function requestCode(
  providers: Providers | undefined,
  account: Address,
): Promise<string | undefined> {
  for (const reader of (await providers?.readers()) ?? []) {
    const code = await tryRequest(reader.code(account));
    if (code !== undefined) return code;
  }
  return undefined;
}
