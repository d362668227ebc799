// Verifies a token of a project's issuer and reads its subject. Every fault gets the same answer, so that the
// answer does not show what a forged token lacks; only an issuer whose keys cannot be read has an answer of its own.
import { createHash } from "node:crypto";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import { type Address, parseAddress, ZERO_ADDRESS } from "@pay/values";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { Counter } from "prom-client";
import type { SsoSettings } from "../projects/storage.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { SUBJECT_LENGTH_MAX } from "./storage.ts";

// Public keys only: with a symmetric algorithm the issuer's public key would be enough to sign.
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
const TOLERANCE_SECONDS = 60;
const AGE_MAX_SECONDS = 10 * 60;
const TOKEN_LENGTH_MAX = 16_384;
const TYPES = new Set<unknown>([undefined, "JWT", "jwt", "application/jwt"]);

const refusals = new Counter({
  name: "sso_refusals_total",
  help: "SSO tokens that were refused, by reason",
  labelNames: ["reason"],
});

/** The subject of a token, and what is stored so that the token works only once. */
export interface Identity {
  subject: string;
  /** The wallet the issuer vouches for, lower case. */
  wallet: string | null;
  digest: Buffer;
  /** When it is too old to be accepted at all. */
  staleAt: Date;
}

export type VerifyToken = (token: string, settings: SsoSettings) => Promise<Identity>;

export function rejectToken(reason: string): Failure {
  refusals.inc({ reason });
  return new Failure("sso_token_invalid", "SSO token is invalid or expired");
}

export function createTokenVerifier({
  keys,
  clock,
}: {
  keys: IssuerKeys;
  clock: Clock;
}): VerifyToken {
  return async (token, settings) => {
    if (token.length > TOKEN_LENGTH_MAX) throw rejectToken("too_long");
    const { payload, protectedHeader } = await jwtVerify(token, keys.of(settings), {
      algorithms: ALGORITHMS,
      issuer: settings.issuer,
      audience: settings.audience,
      requiredClaims: ["sub", "exp", "iat"],
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: AGE_MAX_SECONDS,
      currentDate: clock.now(),
    }).catch((error: unknown) => {
      throw error instanceof Failure ? error : rejectToken(getReason(error));
    });
    // An access or logout token of the same issuer is signed with the same keys and must not open a session.
    if (!TYPES.has(protectedHeader.typ)) throw rejectToken("type");
    if (payload.events !== undefined) throw rejectToken("events");
    checkParty(payload, settings.audience);
    return {
      subject: readSubject(payload),
      wallet: getWallet(payload),
      digest: toDigest(token),
      staleAt: staleAt(payload),
    };
  };
}

// Any other fault comes from a key or an encoding that the crypto below cannot read.
function getReason(error: unknown): string {
  return error instanceof errors.JOSEError ? error.code : "unusable";
}

/** The party a token was made for is named by azp, which only a token with one audience may leave out. */
function checkParty({ aud, azp }: JWTPayload, audience: string): void {
  const severalAudiences = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? severalAudiences : azp !== audience) throw rejectToken("party");
}

function readSubject({ sub }: JWTPayload): string {
  if (typeof sub === "string" && sub !== "" && sub.length <= SUBJECT_LENGTH_MAX) return sub;
  throw rejectToken("subject");
}

/** A malformed wallet is refused: the subject must not silently become one without a wallet. */
function getWallet(payload: JWTPayload): Address | null {
  const wallet = payload.wallet_address ?? payload.walletAddress ?? null;
  if (wallet === null) return null;
  const address = typeof wallet === "string" ? parseAddress(wallet) : undefined;
  if (address !== undefined && address !== ZERO_ADDRESS) return address;
  throw rejectToken("wallet");
}

/** Of what is signed, not of the text: one signature can be written in several ways. */
function toDigest(token: string): Buffer {
  return createHash("sha256")
    .update(token.slice(0, token.lastIndexOf(".")))
    .digest();
}

function staleAt({ exp = 0, iat = 0 }: JWTPayload): Date {
  return new Date((Math.min(exp, iat + AGE_MAX_SECONDS) + TOLERANCE_SECONDS) * 1_000);
}
