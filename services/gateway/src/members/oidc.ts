// Sign-in by the identity provider of the installation. A browser keeps the token that state, nonce and verifier are
// derived from, so nothing is stored before an answer is right, and no other browser can use the answer.
import type { Queryable } from "@pay/database";
import { newSecret } from "@pay/values";
import { confirmByIdentity, signInByIdentity } from "../generated/sql.ts";
import { toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import { CHALLENGE_MS, createChallenge, readChallenge } from "./challenges.ts";
import type { Flow, Identity } from "./oidc-provider.ts";
import { SESSION_PREFIX } from "./sign-ins.ts";

/** What an answer is for: one that signs a member in confirms nobody. */
export type Aim = "sign-in" | `confirm ${string}`;

export interface OpenFlow extends Flow {
  aim: Aim;
  /** By which the answer is used up. */
  challenge: Buffer;
  expiresAt: Date;
}

interface By {
  peppers: Peppers;
  now: Date;
}

/** Kept by the browser. */
export function createFlowToken({ peppers, now }: By): string {
  return createChallenge("oidc state", peppers, now).token;
}

/** The flows of a token, one for each pepper; none where it is late or wrong. */
export function readFlows(token: string | undefined, aim: Aim, by: By): OpenFlow[] {
  const [states, nonces, verifiers] = (["state", "nonce", "verifier"] as const).map((part) =>
    readChallenge(token, `oidc ${aim} ${part}`, by),
  );
  if (states === undefined || nonces === undefined || verifiers === undefined) return [];
  const { expiresAt } = states;
  return states.digests.map((challenge, at) => ({
    aim,
    challenge,
    expiresAt,
    state: challenge.toString("base64url"),
    nonce: nonces.digests[at]?.toString("base64url") ?? "",
    verifier: verifiers.digests[at]?.toString("base64url") ?? "",
    startedAt: new Date(expiresAt.getTime() - CHALLENGE_MS),
    isConfirmation: aim !== "sign-in",
  }));
}

/** The member and the token of the sign-in that is open now; undefined where the identity is nobody's. */
export async function signInWith(
  db: Queryable,
  { issuer, subject, email }: Identity,
  { challenge, expiresAt }: OpenFlow,
  { peppers, now, agent }: By & { agent: string | null },
): Promise<{ memberId: string; token: string } | undefined> {
  const token = newSecret(SESSION_PREFIX);
  const digest = toDigest(token, peppers[0]);
  const opened = { challenge, expiresAt, issuer, subject, email, now, digest, agent };
  const [session] = await signInByIdentity(db, opened);
  return session && { memberId: session.member_id, token };
}

/** Whether the identity is that of the member who is signed in. */
export async function confirmWith(
  db: Queryable,
  { issuer, subject }: Identity,
  { challenge, expiresAt }: OpenFlow,
  { digest, now }: { digest: Buffer; now: Date },
): Promise<boolean> {
  return (
    (await confirmByIdentity(db, { challenge, expiresAt, issuer, subject, now, digest })) === 1
  );
}
