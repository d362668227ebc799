// A token of a foreign issuer, down to who it speaks of. Every fault gets the one answer, so that nobody can learn
// from it what a forged token still lacks; only an issuer whose keys cannot be had is told apart.
import { createHash } from "node:crypto";
import { isAddress, ZERO_ADDRESS } from "@pay/money";
import type { Clock } from "@pay/process";
import { Failure } from "@pay/rpc";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { Counter } from "prom-client";
import type { IssuerKeys } from "./issuer-keys.ts";
import type { SsoSettings } from "./settings.ts";

// Public keys only: with a symmetric algorithm whoever knows the issuer's public key could sign.
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
const TOLERANCE_SECONDS = 60;
const AGE_MAX_SECONDS = 10 * 60;
const TOKEN_LENGTH_MAX = 16_384;
const SUBJECT_LENGTH_MAX = 255;
const TYPES = new Set<unknown>([undefined, "JWT", "jwt", "application/jwt"]);

const refusals = new Counter({
  name: "sso_refusals_total",
  help: "SSO tokens that were refused, by reason",
  labelNames: ["reason"],
});

/** Whom a token speaks of, and what makes it work only once. */
export interface Identity {
  subject: string;
  /** The wallet the issuer vouches for, lower case. */
  wallet: string | null;
  digest: Buffer;
  /** When it is too old to be accepted at all. */
  staleAt: Date;
}

export type VerifyToken = (token: string, settings: SsoSettings) => Promise<Identity>;

export const refuseToken = (reason: string): Failure => {
  refusals.inc({ reason });
  return new Failure("unauthenticated", "SSO token is invalid or expired");
};

export const createTokenVerifier =
  ({ keys, clock }: { keys: IssuerKeys; clock: Clock }): VerifyToken =>
  async (token, settings) => {
    if (token.length > TOKEN_LENGTH_MAX) throw refuseToken("too_long");
    const { payload, protectedHeader } = await jwtVerify(token, keys.of(settings), {
      algorithms: ALGORITHMS,
      issuer: settings.issuer,
      audience: settings.audience,
      requiredClaims: ["sub", "exp", "iat"],
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: AGE_MAX_SECONDS,
      currentDate: clock.now(),
    }).catch((error: unknown) => {
      throw error instanceof Failure ? error : refuseToken(reasonOf(error));
    });
    // An access or logout token of the same issuer is signed with the same keys and is none for us.
    if (!TYPES.has(protectedHeader.typ)) throw refuseToken("type");
    return {
      subject: subjectOf(payload),
      wallet: walletOf(payload),
      digest: digestOf(token),
      staleAt: staleAt(payload),
    };
  };

// Anything else comes from a key or an encoding that the crypto below cannot take.
const reasonOf = (error: unknown): string =>
  error instanceof errors.JOSEError ? error.code : "unusable";

const subjectOf = ({ sub }: JWTPayload): string => {
  if (typeof sub === "string" && sub !== "" && sub.length <= SUBJECT_LENGTH_MAX) return sub;
  throw refuseToken("subject");
};

/** A wallet that is none is refused: the subject must not silently become somebody without one. */
const walletOf = (payload: JWTPayload): string | null => {
  const wallet = payload.wallet_address ?? payload.walletAddress ?? null;
  if (wallet === null) return null;
  if (typeof wallet === "string" && isAddress(wallet)) {
    const lower = wallet.toLowerCase();
    if (lower !== ZERO_ADDRESS) return lower;
  }
  throw refuseToken("wallet");
};

/** Of what is signed, not of the text: one signature can be written in several ways. */
const digestOf = (token: string): Buffer =>
  createHash("sha256")
    .update(token.slice(0, token.lastIndexOf(".")))
    .digest();

const staleAt = ({ exp = 0, iat = 0 }: JWTPayload): Date =>
  new Date((Math.min(exp, iat + AGE_MAX_SECONDS) + TOLERANCE_SECONDS) * 1_000);
