// An identity provider outside the product: keys and a discovery document over HTTP, and tokens that the test signs, so
// that they can have every fault.
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

const AUDIENCE = "mug-shop";

export function base64url(content: object | string | Buffer): string {
  return Buffer.from(
    typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  ).toString("base64url");
}

const PAIRS: Record<Algorithm, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
};

let keys = 0;
export function newSigningKey(alg: Algorithm, kid = `key-${++keys}`): SigningKey {
  return {
    kid,
    alg,
    ...PAIRS[alg](),
  };
}

function signed(header: Fields, claims: Fields, { alg, privateKey }: SigningKey): string {
  const content = `${base64url(header)}.${base64url(claims)}`;
  const signature = sign(alg === "EdDSA" ? null : "sha256", Buffer.from(content), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${content}.${signature.toString("base64url")}`;
}

export function publicJwk({ kid, alg, publicKey }: SigningKey): object {
  return {
    ...publicKey.export({ format: "jwk" }),
    kid,
    alg,
    use: "sig",
  };
}

/** Header and claims to change; undefined leaves one out. */
export interface TokenChange {
  header?: Fields;
  claims?: Fields;
  key?: SigningKey;
}

export async function startIssuer(now: () => Date = () => new Date()) {
  const receiver = await startReceiver({ plain: true });
  const { url } = receiver;
  const main = newSigningKey("ES256");
  let published = [main];
  const documents: Record<string, () => unknown> = {
    "/.well-known/openid-configuration": () => ({ issuer: url, jwks_uri: `${url}/keys` }),
    "/keys": () => ({ keys: published.map(publicJwk) }),
  };
  function serve({ path }: Received, response: ServerResponse) {
    const document = documents[path]?.();
    response
      .writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(document ?? {}));
  }

  receiver.respondWith(serve);

  return {
    url,
    key: main,
    /** Trust in this issuer, as a project sets it. */
    trust: { issuer: url, audience: AUDIENCE },
    receiver,
    /** Replaces its keys. */
    publish: (...next: SigningKey[]) => {
      published = next;
    },
    /** Replaces its answer at a path. */
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
          iss: url,
          aud: AUDIENCE,
          sub: `shopper-${++keys}`,
          iat: seconds,
          exp: seconds + 300,
          ...claims,
        },
        key,
      );
    },
    stop: receiver.stop,
  };
}
