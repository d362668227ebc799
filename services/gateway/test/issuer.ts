// An identity provider outside the product: keys and a discovery document over HTTP, and tokens signed by hand, so
// that they can be as wrong as a forger likes.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Received, startReceiver } from "@pay/testing";

export type Algorithm = "RS256" | "ES256" | "EdDSA";

export interface SigningKey {
  kid: string;
  alg: Algorithm;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

type Fields = Record<string, unknown>;

export const AUDIENCE = "mug-shop";

export const base64url = (content: object | string | Buffer): string =>
  Buffer.from(
    typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  ).toString("base64url");

const PAIRS: Record<Algorithm, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
};

let keys = 0;
export const newSigningKey = (alg: Algorithm, kid = `key-${++keys}`): SigningKey => ({
  kid,
  alg,
  ...PAIRS[alg](),
});

export const signed = (header: Fields, claims: Fields, { alg, privateKey }: SigningKey): string => {
  const content = `${base64url(header)}.${base64url(claims)}`;
  const signature = sign(alg === "EdDSA" ? null : "sha256", Buffer.from(content), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${content}.${signature.toString("base64url")}`;
};

export const publicJwk = ({ kid, alg, publicKey }: SigningKey): object => ({
  ...publicKey.export({ format: "jwk" }),
  ...{ kid, alg, use: "sig" },
});

/** Header and claims to change; undefined leaves one out. */
export interface TokenChange {
  header?: Fields;
  claims?: Fields;
  key?: SigningKey;
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

export const startIssuer = async (now: () => Date = () => new Date()) => {
  const receiver = await startReceiver({ plain: true });
  const { url } = receiver;
  const main = newSigningKey("ES256");
  let published = [main];
  const documents: Record<string, () => unknown> = {
    "/.well-known/openid-configuration": () => ({ issuer: url, jwks_uri: `${url}/keys` }),
    "/keys": () => ({ keys: published.map(publicJwk) }),
  };
  const serve = ({ path }: Received, response: ServerResponse) => {
    const document = documents[path]?.();
    response
      .writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(document ?? {}));
  };
  receiver.respondWith(serve);

  return {
    url,
    key: main,
    /** Trust in this issuer, as a project sets it. */
    trust: { issuer: url, audience: AUDIENCE },
    receiver,
    /** From now on its keys are these. */
    publish: (...next: SigningKey[]) => {
      published = next;
    },
    /** What it says at a path from now on. */
    say: (path: string, document: () => unknown) => {
      documents[path] = document;
    },
    recover: () => receiver.respondWith(serve),
    /** How often a path was asked for. */
    asked: (path: string) => receiver.all.filter((request) => request.path === path).length,
    /** A token that is good but for the changes. */
    token: ({ header = {}, claims = {}, key = main }: TokenChange = {}): string => {
      const seconds = Math.floor(now().getTime() / 1_000);
      return signed(
        { alg: key.alg, kid: key.kid, typ: "JWT", ...header },
        {
          ...{ iss: url, aud: AUDIENCE, sub: `shopper-${++keys}` },
          ...{ iat: seconds, exp: seconds + 300, ...claims },
        },
        key,
      );
    },
    stop: receiver.stop,
  };
};
