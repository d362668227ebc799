// The public keys of issuers, read over the guarded client and cached.
// - A token that names an unknown key causes a new reading, at most once a minute per issuer, however many such
//   tokens arrive.
// - Keys are read again after ten minutes, so that one the issuer withdrew stops working. While the issuer is away,
//   the known ones are used for an hour; after that, or without any, the exchange is unavailable and the token is not
//   refused.
// - Many requests at once wait for one reading; after a failed one there is a pause.
// jose's createRemoteJWKSet drops known keys while the issuer is away and repeats a failed reading without a pause.
import type { Egress } from "@pay/egress";
import { Failure } from "@pay/failures";
import type { Clock, Log } from "@pay/process";
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type LocalJWKSet,
} from "jose";
import { LRUCache } from "lru-cache";
import { Counter } from "prom-client";
import type { SsoSettings } from "../projects/storage.ts";

const FRESH_MS = 10 * 60_000;
const USABLE_MS = 60 * 60_000;
const UNKNOWN_KEY_PAUSE_MS = 60_000;
const FAILED_PAUSE_MS = 5_000;
const TIMEOUT_MS = 3_000;
const SOURCES_MAX = 1_000;

const readings = new Counter({
  name: "sso_key_readings_total",
  help: "Attempts to read an issuer's keys, by what became of them",
  labelNames: ["outcome"],
});

export interface IssuerKeys {
  /** Finds the key a token names; throws `unavailable` where the issuer's keys cannot be read. */
  of(settings: SsoSettings): JWTVerifyGetKey;
}

/** Where keys come from. Projects with the same issuer share it, unless they name another address for its keys. */
interface Source {
  settings: SsoSettings;
  keys?: { find: LocalJWKSet; readAtMs: number };
  triedAtMs: number;
  failed: boolean;
  reading?: Promise<void> | undefined;
}

export function createIssuerKeys({
  egress,
  clock,
  log,
}: {
  egress: Pick<Egress, "getJson">;
  clock: Clock;
  log: Log;
}): IssuerKeys {
  const sources = new LRUCache<string, Source>({ max: SOURCES_MAX });
  function nowMs() {
    return clock.now().getTime();
  }

  function openSource(settings: SsoSettings): Source {
    const name = `${settings.issuer} ${settings.jwksUrl ?? ""}`;
    const known = sources.get(name);
    if (known !== undefined) return known;
    const source = { settings, triedAtMs: Number.NEGATIVE_INFINITY, failed: false };
    sources.set(name, source);
    return source;
  }

  async function read(source: Source): Promise<void> {
    source.triedAtMs = nowMs();
    try {
      source.keys = { find: await readKeys(egress, source.settings), readAtMs: nowMs() };
      source.failed = false;
    } catch (error) {
      source.failed = true;
      log.warn({ err: error }, "an issuer's keys could not be read");
    } finally {
      source.reading = undefined;
    }
    readings.inc({ outcome: source.failed ? "failed" : "read" });
  }

  /** Reads again, unless the last attempt is less than the pause ago. */
  async function readAgain(source: Source, pauseMs: number): Promise<void> {
    if (source.reading === undefined && nowMs() - source.triedAtMs >= pauseMs) {
      source.reading = read(source);
    }
    await source.reading;
  }

  async function usableKeys(source: Source): Promise<LocalJWKSet> {
    function ageMs() {
      return nowMs() - (source.keys?.readAtMs ?? Number.NEGATIVE_INFINITY);
    }

    if (ageMs() >= FRESH_MS) await readAgain(source, FAILED_PAUSE_MS);
    if (source.keys === undefined || ageMs() >= USABLE_MS) throw unavailable();
    return source.keys.find;
  }

  return {
    of: (settings) => async (header, token) => {
      const source = openSource(settings);
      const find = await usableKeys(source);
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      await readAgain(source, UNKNOWN_KEY_PAUSE_MS);
      // An unknown key may be a new one of an issuer that is away.
      if (source.failed) throw unavailable();
      return (source.keys?.find ?? find)(header, token);
    },
  };
}

function unavailable() {
  return new Failure("sso_issuer_unavailable", "The SSO issuer's keys cannot be read");
}

async function readKeys(
  egress: Pick<Egress, "getJson">,
  { issuer, jwksUrl }: SsoSettings,
): Promise<LocalJWKSet> {
  const url = jwksUrl ?? (await discover(egress, issuer));
  return createLocalJWKSet((await getDocument(egress, url)) as unknown as JSONWebKeySet);
}

/** A document that names another issuer is not this issuer's. */
async function discover(egress: Pick<Egress, "getJson">, issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: jwksUrl } = await getDocument(egress, url);
  if (named !== issuer) throw new Error("the discovery document names another issuer");
  if (typeof jwksUrl !== "string") throw new Error("the discovery document names no keys");
  return jwksUrl;
}

async function getDocument(
  egress: Pick<Egress, "getJson">,
  url: string,
): Promise<Record<string, unknown>> {
  const answer = await egress.getJson({ url, timeoutMs: TIMEOUT_MS });
  if (answer.fault !== undefined) throw new Error(`the issuer gave no answer: ${answer.fault}`);
  const { statusCode, json } = answer;
  if (statusCode !== 200) throw new Error(`the issuer answered with ${statusCode}`);
  if (typeof json !== "object" || json === null) throw new Error("the issuer gave no JSON object");
  return json as Record<string, unknown>;
}
