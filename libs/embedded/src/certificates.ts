// Certificates for receivers on this machine, made when they are needed: the repository contains no key, and a test can
// ask for one that has expired or has another name. Node signs, but it makes no certificates.
import {
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate as CertificateAsn,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_subjectAltName,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";

export interface Certificate {
  /** PEM. */
  cert: string;
  /** PEM. */
  key: string;
}

export interface Authority {
  /** The certificate that a client must trust, PEM. */
  ca: string;
  issue(options: { names: string[]; notBefore?: Date; notAfter?: Date }): Certificate;
}

const DAY_MS = 86_400_000;
const COMMON_NAME = "2.5.4.3";
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";

export function createAuthority(name = "Local authority"): Authority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const authority = { issuer: name, signer: privateKey };
  return {
    ca: createCertificate({ ...authority, subject: name, publicKey, extension: IS_AUTHORITY }),
    issue: ({ names, notBefore, notAfter }) => {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const cert = createCertificate({
        ...authority,
        subject: names[0] ?? "unnamed",
        publicKey: pair.publicKey,
        extension: alternativeNames(names),
        notBefore,
        notAfter,
      });
      return { cert, key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    },
  };
}

function createCertificate(options: {
  issuer: string;
  signer: KeyObject;
  subject: string;
  publicKey: KeyObject;
  extension: Extension;
  notBefore?: Date | undefined;
  notAfter?: Date | undefined;
}): string {
  const { issuer, signer, subject, publicKey, extension } = options;
  const { notBefore = new Date(Date.now() - DAY_MS) } = options;
  const { notAfter = new Date(Date.now() + 30 * DAY_MS) } = options;
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const content = new TBSCertificate({
    version: Version.v3,
    // A number in front that is neither zero nor negative, as the standard wants it.
    serialNumber: Uint8Array.from([1, ...randomBytes(8)]).buffer,
    signature: algorithm,
    issuer: commonName(issuer),
    validity: new Validity({ notBefore, notAfter }),
    subject: commonName(subject),
    subjectPublicKeyInfo: AsnConvert.parse(
      publicKey.export({ type: "spki", format: "der" }),
      SubjectPublicKeyInfo,
    ),
    extensions: new Extensions([extension]),
  });
  const signature = sign("sha256", Buffer.from(AsnConvert.serialize(content)), signer);
  const certificate = new CertificateAsn({
    tbsCertificate: content,
    signatureAlgorithm: algorithm,
    signatureValue: Uint8Array.from(signature).buffer,
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

function commonName(value: string): Name {
  return new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({
        type: COMMON_NAME,
        value: new AttributeValue({ utf8String: value }),
      }),
    ]),
  ]);
}

function alternativeNames(names: string[]): Extension {
  const list = names.map(
    (name) => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name }),
  );
  return new Extension({
    extnID: id_ce_subjectAltName,
    extnValue: new OctetString(AsnConvert.serialize(new SubjectAlternativeName(list))),
  });
}

const IS_AUTHORITY = new Extension({
  extnID: id_ce_basicConstraints,
  critical: true,
  extnValue: new OctetString(AsnConvert.serialize(new BasicConstraints({ cA: true }))),
});
