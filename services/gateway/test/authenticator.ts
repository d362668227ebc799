// A device that holds one passkey: it answers as a browser hands its answers to a page.
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

export interface Circumstances {
  origin?: string;
  host?: string;
  isVerified?: boolean;
  counter?: number;
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

function toText(bytes: Buffer | string): string {
  return Buffer.from(bytes).toString("base64url");
}

/** CBOR of byte strings up to 255 bytes. */
function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  /** EC2 key, ES256, P-256. */
  const coseKey = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, "base64url")),
  ]);

  function authenticatorData(
    { host = "localhost", isVerified = true, counter = 1 }: Circumstances,
    key?: Buffer,
  ): Buffer {
    const head = Buffer.alloc(5);
    head[0] = PRESENT + (isVerified ? VERIFIED : 0) + (key ? WITH_KEY : 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(host), head, key ?? Buffer.alloc(0)]);
  }

  function clientData(type: string, challenge: string, { origin }: Circumstances): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: origin ?? "http://localhost:8080" }),
    );
  }

  const named = { id: toText(id), rawId: toText(id), type: "public-key" };
  return {
    id,
    add: (challenge: string, seen: Circumstances = {}) => {
      const key = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey]);
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText("fmt"),
        cborText("none"),
        cborText("attStmt"),
        Buffer.from([0xa0]),
        cborText("authData"),
        cborBytes(authenticatorData({ counter: 0, ...seen }, key)),
      ]);
      return {
        ...named,
        response: {
          clientDataJSON: toText(clientData("webauthn.create", challenge, seen)),
          attestationObject: toText(attestation),
          transports: ["internal"],
        },
      };
    },
    answer: (challenge: string, seen: Circumstances = {}) => {
      const data = authenticatorData(seen);
      const client = clientData("webauthn.get", challenge, seen);
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return {
        ...named,
        response: {
          clientDataJSON: toText(client),
          authenticatorData: toText(data),
          signature: toText(signature),
        },
      };
    },
  };
}
