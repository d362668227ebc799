// The identity provider of the installation, read over the guarded client. Its documents are kept for ten minutes. Each
// call has a deadline, and addresses inside the network are called only where the operator allows them.
import type { Egress } from "@pay/egress";
import type { Clock } from "@pay/process";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from "openid-client";
import { z } from "zod";

const FRESH_MS = 10 * 60_000;
const TIMEOUT_MS = 3_000;
const BYTES_MAX = 64 * 1024;
const SUBJECT_LENGTH_MAX = 255;
/** Clocks differ. */
const TOLERANCE_MS = 30_000;

export const oidcSettings = z.strictObject({
  /** As the provider's own documents name it. */
  issuer: z.url({ protocol: /^https?$/ }),
  clientId: z.string().min(1).max(200),
  clientSecret: z.string().min(1).max(1_000),
  /** On the button. */
  name: z.string().min(1).max(40),
});

export type OidcSettings = z.output<typeof oidcSettings>;

/** What one browser was sent to the provider with. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  startedAt: Date;
  /** Whether the person has to prove anew to be there. */
  isConfirmation: boolean;
}

export interface Identity {
  issuer: string;
  subject: string;
  /** Lower case; null where the provider has not verified it. */
  email: string | null;
}

export interface OidcProvider {
  name: string;
  /** Where the browser goes. */
  buildUrl(flow: Flow, redirectUri: string): Promise<URL>;
  /** Judges the address that the browser came back to. */
  readIdentity(flow: Flow, cameTo: URL): Promise<Identity>;
}

/** The provider gave no answer, so that nothing is known of the sign-in. */
class ProviderAway extends Error {}

/** A library puts what failed into the cause of its own error. */
export function isProviderAway(error: unknown): boolean {
  if (error instanceof ProviderAway) return true;
  return error instanceof Error && error.cause !== undefined && isProviderAway(error.cause);
}

function createFetch(egress: Pick<Egress, "getBytes" | "post">): CustomFetch {
  return async (url, { method, headers, body }) => {
    const { authorization } = headers;
    const answer =
      method === "GET"
        ? await egress.getBytes({
            url,
            accept: "application/json",
            headers: authorization === undefined ? [] : ["authorization", authorization],
            bytesMax: BYTES_MAX,
            timeoutMs: TIMEOUT_MS,
          })
        : await egress.post({
            url,
            headers: Object.entries(headers).flat(),
            body: Buffer.from(String(body)),
            timeoutMs: TIMEOUT_MS,
          });
    if (answer.fault !== undefined) throw new ProviderAway(`no answer: ${answer.fault}`);
    if (!answer.complete) throw new ProviderAway("the answer is too large or was cut");
    const bytes = "bytes" in answer ? answer.bytes : answer.body;
    const type = { "content-type": "application/json" };
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status: answer.statusCode,
      headers: type,
    });
  };
}

/** In the header, as the standard has it, unless the provider takes the secret in the body alone. */
function authenticate(secret: string): ClientAuth {
  const [inHeader, inBody] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (provider, ...request) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? inHeader : inBody)(provider, ...request);
  };
}

/** Null where it is no verified address. */
function readEmail({ email, email_verified: isVerified }: Record<string, unknown>): string | null {
  return typeof email === "string" && isVerified === true ? email.trim().toLowerCase() : null;
}

export function createOidcProvider(
  { issuer, clientId, clientSecret, name }: OidcSettings,
  { egress, clock }: { egress: Pick<Egress, "getBytes" | "post">; clock: Clock },
): OidcProvider {
  let kept: { reading: Promise<Configuration>; untilMs: number } | undefined;

  function read(): Promise<Configuration> {
    return discovery(new URL(issuer), clientId, undefined, authenticate(clientSecret), {
      [customFetch]: createFetch(egress),
      execute: [
        enableNonRepudiationChecks,
        ...(issuer.startsWith("http:") ? [allowInsecureRequests] : []),
      ],
    });
  }

  /** All that come at once wait for one reading; one that failed is not kept. */
  function configure(): Promise<Configuration> {
    const nowMs = clock.now().getTime();
    if (kept === undefined || nowMs >= kept.untilMs) {
      const reading = read();
      kept = { reading, untilMs: nowMs + FRESH_MS };
      reading.catch(() => {
        kept = undefined;
      });
    }
    return kept.reading;
  }

  return {
    name,
    buildUrl: async ({ state, nonce, verifier, isConfirmation }, redirectUri) =>
      buildAuthorizationUrl(await configure(), {
        redirect_uri: redirectUri,
        scope: "openid email",
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(isConfirmation && { max_age: "0", prompt: "login" }),
      }),
    readIdentity: async ({ state, nonce, verifier, startedAt, isConfirmation }, cameTo) => {
      const answer = await authorizationCodeGrant(await configure(), cameTo, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const claims = answer.claims();
      if (claims === undefined) throw new Error("the provider gave no ID token");
      const { sub: subject, auth_time: authTime } = claims;
      if (subject.length > SUBJECT_LENGTH_MAX) throw new Error("the subject is too long");
      if (isConfirmation) {
        const enteredMs = typeof authTime === "number" ? authTime * 1_000 : 0;
        if (enteredMs < startedAt.getTime() - TOLERANCE_MS) {
          throw new Error("the provider did not ask the person anew");
        }
      }
      const hasAddress = claims.email !== undefined || isConfirmation;
      const known = hasAddress
        ? claims
        : await fetchUserInfo(await configure(), answer.access_token, subject);
      return { issuer, subject, email: readEmail(known) };
    },
  };
}
