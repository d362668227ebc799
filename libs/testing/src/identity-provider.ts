/// <reference path="./oidc-provider.d.ts" />
// A real identity provider, and a browser of one person who signs in there without being asked anything.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const CLIENT = { client_id: "pay-dashboard", client_secret: "secret-of-the-tests-0123456789" };
const HOPS_MAX = 10;
const CLOCK_TOLERANCE_SECONDS = 15;
const LIFETIME_SECONDS = 600;
const KINDS = ["AccessToken", "AuthorizationCode", "Grant", "IdToken", "Interaction", "Session"];

interface Account {
  email: string;
  email_verified: boolean;
}

interface GrantContext {
  oidc: { session: { accountId: string } };
}

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** A callback at localhost may be at any port. */
export async function startIdentityProvider(callback: string) {
  const [{ Provider }, { createMemoryAdapter }] = await Promise.all([
    import("oidc-provider"),
    import("oidc-provider/lib/adapters/memory_adapter.js"),
  ]);
  const accounts = new Map<string, Account>();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let person = "";
  let isAway = false;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        ...CLIENT,
        application_type: callback.startsWith("http:") ? "native" : "web",
        redirect_uris: [callback],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    adapter: createMemoryAdapter(CLOCK_TOLERANCE_SECONDS),
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    ttl: Object.fromEntries(KINDS.map((kind) => [kind, LIFETIME_SECONDS])),
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts.get(accountId) }),
    }),
    loadExistingGrant: async ({ oidc: { session } }: GrantContext) => {
      const { accountId } = session;
      const grant = new provider.Grant({ clientId: CLIENT.client_id, accountId });
      grant.addOIDCScope("openid email");
      await grant.save();
      return grant;
    },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["cookie-key-of-the-tests"] },
  });
  const serve = provider.callback();
  server.on("request", (request, response) => {
    if (isAway) return void request.destroy();
    if (!request.url?.startsWith("/interaction/")) return void serve(request, response);
    // A client at localhost gets no code without a consent.
    const result = { login: { accountId: person }, consent: {} };
    void provider.interactionFinished(request, response, result);
  });

  return {
    /** As an operator sets it. */
    settings: {
      issuer: url,
      clientId: CLIENT.client_id,
      clientSecret: CLIENT.client_secret,
      name: "Example",
    },
    addAccount: (subject: string, account: Account) => accounts.set(subject, account),
    /** Who signs in when a browser comes by. */
    setPerson: (subject: string) => {
      person = subject;
    },
    /** Whether it answers nobody. */
    setAway: (away: boolean) => {
      isAway = away;
    },
    /** Follows the provider's pages as this person, back to the address that the provider leads to. */
    visit: async (from: string, subject: string, jar = new Map<string, string>()): Promise<URL> => {
      person = subject;
      let address = from;
      for (let hop = 0; hop < HOPS_MAX && !address.startsWith(callback); hop++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(address, { redirect: "manual", headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          jar.set(name, value);
        }
        const next = response.headers.get("location");
        if (next === null) throw new Error(`${response.status} ${await response.text()}`);
        address = new URL(next, address).href;
      }
      return new URL(address);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
