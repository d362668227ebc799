// A gateway whose clock the test moves, an issuer that it may call, and projects that trust this issuer.

import { startTestGateway, type TestProject } from "./gateway.ts";
import { startIssuer } from "./issuer.ts";

/** Lets the gateway reach an issuer on this machine, as the standalone product does. */
export const LOCAL_ISSUERS = { WEBHOOKS_ALLOW_HOSTS: "localhost", WEBHOOKS_ALLOW_HTTP: "1" };

export const EXCHANGE = "/v1/auth/sso";
export const NO_TOKEN = {
  statusCode: 401,
  error: "Unauthorized",
  message: "SSO token is invalid or expired",
};
export const NO_SESSION = { ...NO_TOKEN, message: "Session is invalid or expired" };
export const NO_KEY = { ...NO_TOKEN, message: "API key is invalid or missing" };

export type SignIn = Awaited<ReturnType<typeof startSignIn>>;

export async function startSignIn(options: Parameters<typeof startTestGateway>[0] = {}) {
  let now = new Date("2026-03-01T12:00:00.000Z");
  const clock = { now: () => now };
  let issuer = await startIssuer(clock.now);
  const gateway = await startTestGateway({
    clock,
    ...options,
    env: { ...LOCAL_ISSUERS, ...options.env },
  });

  function configure(project: TestProject, sso: unknown) {
    return gateway.ask("PUT", "/v1/projects/me", {
      headers: { "x-secret-key": project.secret },
      body: { sso },
    });
  }

  function exchange(secret: string, token: unknown, headers = {}) {
    return gateway.ask("POST", EXCHANGE, {
      headers: { "x-secret-key": secret, ...headers },
      body: { token },
    });
  }

  return {
    get issuer() {
      return issuer;
    },
    /** Another issuer, of which the gateway knows nothing yet. */
    renewIssuer: async () => {
      await issuer.stop();
      issuer = await startIssuer(clock.now);
    },
    gateway,
    configure,
    exchange,
    /** A project that trusts the issuer. */
    addShop: async (): Promise<TestProject> => {
      const shop = await gateway.addProject();
      const { status, text } = await configure(shop, issuer.trust);
      if (status !== 200) throw new Error(text);
      return shop;
    },
    /** A session of this subject, with the secret key that makes it. */
    open: async (secret: string, claims: Record<string, unknown> = {}): Promise<string> => {
      const { body } = await exchange(
        secret,
        issuer.token({ claims: { jti: nonce(), ...claims } }),
      );
      return body.sessionToken;
    },
    /** What the session is good for; a shopper without a wallet has an empty list, and no service is called. */
    use: (session: string, publishable: string, headers: Record<string, string> = {}) =>
      gateway.ask("GET", "/v1/payments", {
        headers: {
          authorization: `Bearer ${session}`,
          "x-publishable-key": publishable,
          ...headers,
        },
      }),
    now: clock.now,
    move: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    stop: async () => {
      await gateway.stop();
      await issuer.stop();
    },
  };
}

let nonces = 0;
function nonce() {
  return String(++nonces);
}
