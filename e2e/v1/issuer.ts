// An OpenID Connect issuer as projects trust one: a discovery document, its public keys, and tokens about shoppers.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

const AUDIENCE = "shop";

export interface Issuer {
  readonly url: string;
  /** The settings with which a project trusts this issuer. */
  readonly settings: { issuer: string; audience: string };
  /** A fresh token; the wallet decides which payments belong to the shopper. */
  token(shopper: { subject: string; wallet?: string }): Promise<string>;
  stop(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "key-1", alg: "ES256", use: "sig" };
  const server = createServer((request, response) => {
    const documents: Record<string, object> = {
      "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": { keys: [key] },
    };
    const document = documents[request.url ?? ""];
    response.writeHead(document ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    settings: { issuer: url, audience: AUDIENCE },
    token: ({ subject, wallet }) =>
      new SignJWT({ jti: randomUUID(), ...(wallet && { wallet_address: wallet }) })
        .setProtectedHeader({ alg: "ES256", kid: "key-1" })
        .setIssuer(url)
        .setAudience(AUDIENCE)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(privateKey),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
