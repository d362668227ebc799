// Passkeys of members: the options that a page hands to its browser, and the judgement of what the browser answers.
// Devices must check who holds them, and a passkey belongs to the host of the dashboard.
import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { Pool } from "pg";
import { z } from "zod";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { findPasskey, lockMember, savePasskey, usePasskey } from "../generated/sql.ts";
import type { Peppers } from "../keys/pepper.ts";
import { CHALLENGE_MS, createChallenge, type Purpose, readChallenge } from "./challenges.ts";

const PASSKEYS_MAX = 20;
const NAME = "Pay";

const bytes = z
  .string()
  .regex(/^[\w-]+$/)
  .max(20_000);
const answer = {
  id: bytes.max(1_400),
  rawId: bytes.max(1_400),
  type: z.literal("public-key"),
};

export const addition = z.object({
  ...answer,
  name: z.string().trim().min(1).max(100).default("Passkey"),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});

export const assertion = z.object({
  ...answer,
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
});

type Addition = z.output<typeof addition>;
type Assertion = z.output<typeof assertion>;

interface PasskeyParts {
  pool: Pool;
  prisma: PrismaClient;
  peppers: Peppers;
  clock: Clock;
  /** Of the dashboard. */
  origin: string;
}

function passkeyInvalid(): Failure {
  return new Failure(
    "passkey_invalid",
    "This passkey is unknown, or its answer is wrong, late or used",
  );
}

/** What a library finds wrong in an answer is nothing that the caller is told. */
async function judge<T extends { verified: boolean }>(verify: () => Promise<T>) {
  let judged: T;
  try {
    judged = await verify();
  } catch {
    throw passkeyInvalid();
  }
  if (!judged.verified) throw passkeyInvalid();
  return judged as Extract<T, { verified: true }> & T;
}

/** The challenge of a browser, as its answer is judged by it. */
function open(
  { peppers, clock, origin }: PasskeyParts,
  token: string | undefined,
  purpose: Purpose,
) {
  const challenge = readChallenge(token, purpose, { peppers, now: clock.now() });
  if (challenge === undefined) throw passkeyInvalid();
  let answered: Buffer | undefined;
  return {
    expected: {
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
      expectedChallenge: (given: string) => {
        const wanted = Buffer.from(given, "base64url");
        answered = challenge.digests.find((digest) => digest.equals(wanted));
        return answered !== undefined;
      },
    },
    /** For the statement that uses the challenge up. */
    use: () => {
      if (answered === undefined) throw passkeyInvalid();
      return { challenge: answered, expiresAt: challenge.expiresAt, now: clock.now() };
    },
  };
}

/** Judges the answer, and uses it for a new sign-in or one that is there. */
async function acceptUse(
  parts: PasskeyParts,
  {
    purpose,
    token,
    response,
  }: { purpose: Purpose; token: string | undefined; response: Assertion },
  session: { digest: Buffer; isNew: boolean; agent: string | null },
): Promise<void> {
  const { pool } = parts;
  const { expected, use } = open(parts, token, purpose);
  const credentialId = Buffer.from(response.id, "base64url");
  const [known] = await findPasskey(pool, { credentialId });
  if (known === undefined) throw passkeyInvalid();
  const credential = {
    id: response.id,
    publicKey: new Uint8Array(known.public_key),
    counter: Number(known.counter),
  };
  const { authenticationInfo } = await judge(() =>
    verifyAuthenticationResponse({
      ...expected,
      response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
      credential,
    }),
  );
  const { newCounter, credentialBackedUp } = authenticationInfo;
  const used = await usePasskey(pool, {
    ...use(),
    ...session,
    credentialId,
    counter: BigInt(newCounter),
    backedUp: credentialBackedUp,
  });
  if (used.length !== 1) throw passkeyInvalid();
}

async function listCredentials(prisma: PrismaClient, memberId: string) {
  const passkeys = await prisma.passkey.findMany({
    where: { member_id: memberId },
    select: { credential_id: true, transports: true },
    take: PASSKEYS_MAX,
  });
  return passkeys.map(({ credential_id, transports }) => ({
    id: Buffer.from(credential_id).toString("base64url"),
    transports,
  }));
}

export function createPasskeys(parts: PasskeyParts) {
  const { pool, prisma, peppers, clock, origin } = parts;
  const rpId = new URL(origin).hostname;

  async function offerUse(purpose: Purpose, allowCredentials: { id: string }[] = []) {
    const { token, bytes: challenge } = createChallenge(purpose, peppers, clock.now());
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      challenge: new Uint8Array(challenge),
      allowCredentials,
      userVerification: "required",
      timeout: CHALLENGE_MS,
    });
    return { token, options };
  }

  return {
    countOf: (memberId: string) => prisma.passkey.count({ where: { member_id: memberId } }),

    offerAddition: async (member: { id: string; email: string; name: string }) => {
      const { token, bytes: challenge } = createChallenge(`add ${member.id}`, peppers, clock.now());
      const options = await generateRegistrationOptions({
        rpName: NAME,
        rpID: rpId,
        userID: new Uint8Array(Buffer.from(member.id)),
        userName: member.email,
        userDisplayName: member.name,
        challenge: new Uint8Array(challenge),
        timeout: CHALLENGE_MS,
        attestationType: "none",
        excludeCredentials: await listCredentials(prisma, member.id),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      return { token, options };
    },

    /** The sign-in, which has the digest, counts as one by passkey from then on. */
    add: async (
      { memberId, digest }: { memberId: string; digest: Buffer },
      token: string | undefined,
      given: Addition,
    ): Promise<void> => {
      const { name, ...response } = given;
      const { expected, use } = open(parts, token, `add ${memberId}`);
      const { registrationInfo } = await judge(() =>
        verifyRegistrationResponse({
          ...expected,
          response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
        }),
      );
      if (registrationInfo === undefined) throw passkeyInvalid();
      const { credential, credentialBackedUp } = registrationInfo;
      const passkey = {
        ...use(),
        credentialId: Buffer.from(credential.id, "base64url"),
        memberId,
        publicKey: Buffer.from(credential.publicKey),
        counter: BigInt(credential.counter),
        transports: response.response.transports,
        name,
        backedUp: credentialBackedUp,
        session: digest,
      };
      const saved = await transaction(pool, async (tx) => {
        await lockMember(tx, { memberId });
        return savePasskey(tx, passkey);
      });
      if (saved !== 1) throw passkeyInvalid();
    },

    offerSignIn: () => offerUse("sign-in"),

    /** Opens a sign-in, which has the digest. */
    signIn: (
      token: string | undefined,
      response: Assertion,
      session: { digest: Buffer; agent: string | null },
    ) => acceptUse(parts, { purpose: "sign-in", token, response }, { ...session, isNew: true }),

    offerConfirmation: async (memberId: string) =>
      offerUse(`confirm ${memberId}`, await listCredentials(prisma, memberId)),

    confirm: (
      { memberId, digest }: { memberId: string; digest: Buffer },
      token: string | undefined,
      response: Assertion,
    ) =>
      acceptUse(
        parts,
        { purpose: `confirm ${memberId}`, token, response },
        { digest, isNew: false, agent: null },
      ),
  };
}
