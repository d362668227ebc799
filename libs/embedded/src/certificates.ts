// Certificates for receivers on this machine, made on the spot: no key lies in the repository, and a test can ask for
// one that has expired or names somebody else. X.509 in DER, as much of it as TLS needs.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export interface Certificate {
  /** PEM. */
  cert: string;
  /** PEM. */
  key: string;
}

export interface Authority {
  /** What a client must trust, PEM. */
  ca: string;
  issue(options: { names: string[]; notBefore?: Date; notAfter?: Date }): Certificate;
}

const DAY_MS = 86_400_000;

export const createAuthority = (name = "Local authority"): Authority => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = nameOf(name);
  const self = {
    issuer,
    signer: privateKey,
    subject: issuer,
    publicKey,
    extensions: [IS_AUTHORITY],
  };
  return {
    ca: pem("CERTIFICATE", certificate({ ...self, ...validity() })),
    issue: ({ names, notBefore, notAfter }) => {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const der = certificate({
        issuer,
        signer: privateKey,
        subject: nameOf(names[0] ?? "nobody"),
        publicKey: pair.publicKey,
        extensions: [alternativeNames(names)],
        ...validity(notBefore, notAfter),
      });
      const key = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { cert: pem("CERTIFICATE", der), key };
    },
  };
};

const validity = (
  notBefore = new Date(Date.now() - DAY_MS),
  notAfter = new Date(Date.now() + 30 * DAY_MS),
) => ({ notBefore, notAfter });

const certificate = (options: {
  issuer: Buffer;
  signer: KeyObject;
  subject: Buffer;
  publicKey: KeyObject;
  notBefore: Date;
  notAfter: Date;
  extensions: Buffer[];
}): Buffer => {
  const { issuer, signer, subject, publicKey, notBefore, notAfter, extensions } = options;
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, serial),
    ECDSA_SHA256,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(body, ECDSA_SHA256, bits(sign("sha256", body, signer)));
};

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
const octets = (content: Buffer) => der(0x04, content);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (at: Date) =>
  der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, "")}`));

const ECDSA_SHA256 = sequence(objectId("2a8648ce3d040302"));
const TRUE = der(0x01, Buffer.from([0xff]));
const IS_AUTHORITY = sequence(objectId("551d13"), TRUE, octets(sequence(TRUE)));

const nameOf = (value: string) => sequence(der(0x31, sequence(objectId("550403"), text(value))));

const alternativeNames = (names: string[]): Buffer =>
  sequence(objectId("551d11"), octets(sequence(...names.map(alternativeName))));

const alternativeName = (name: string): Buffer =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name));

const pem = (label: string, content: Buffer): string => {
  const lines = content.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
};
