// Mutual TLS between services. A folder has the form of cert-manager's Secrets: tls.crt, tls.key and ca.crt. Each side
// shows its certificate, and accepts only certificates that the authority has signed; a client also checks that the
// server has the name it calls. Changed files are read again, and new connections use them: each one is renewed within
// a minute or two (server.ts). Files that do not fit are logged, and those before stay in use.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { join } from "node:path";
import {
  type ChannelCredentials,
  credentials,
  experimental,
  ServerCredentials,
} from "@grpc/grpc-js";
import type { Identity, Runtime } from "@pay/process";

const FILES = ["tls.crt", "tls.key", "ca.crt"] as const;
const POLL_MS = 1_000;

type Files = experimental.IdentityCertificateUpdate & experimental.CaCertificateUpdate;
type Owner = Pick<Runtime, "onStop" | "identity" | "log">;

/** Plaintext where the process has no folder. */
export function createClientCredentials(owner: Owner): ChannelCredentials {
  const provider = watchCertificates(owner);
  if (provider === undefined) return credentials.createInsecure();
  return experimental.createCertificateProviderChannelCredentials(provider, provider);
}

/** Plaintext where the process has no folder. */
export function createServerCredentials(owner: Owner): ServerCredentials {
  const provider = watchCertificates(owner);
  if (provider === undefined) return ServerCredentials.createInsecure();
  return experimental.createCertificateProviderServerCredentials(provider, provider, true);
}

/** A process reads its files once for its server and all its clients. */
const known = new WeakMap<Identity, experimental.CertificateProvider>();

/** Throws where the files are unusable, so that a process does not start with them. */
function watchCertificates(owner: Owner): experimental.CertificateProvider | undefined {
  const { identity } = owner;
  if (identity?.tlsDir === undefined) return;
  const provider = known.get(identity) ?? watchFolder(identity.tlsDir, owner);
  known.set(identity, provider);
  return provider;
}

/**
 * grpc-js has a provider of its own, which passes on files without a look: it refuses all connections while one of them
 * is unreadable or does not fit the others.
 */
function watchFolder(folder: string, { onStop, log }: Owner): experimental.CertificateProvider {
  let files = readFiles(folder);
  const ofIdentity = new Set<experimental.IdentityCertificateUpdateListener>();
  const ofAuthority = new Set<experimental.CaCertificateUpdateListener>();

  function onChange() {
    let next: Files;
    try {
      next = readFiles(folder);
    } catch (error) {
      log.error({ err: error }, "a changed certificate is unusable; the one before stays in use");
      return;
    }
    // Each of the files reports the change.
    if (isSame(next, files)) return;
    files = next;
    for (const listener of [...ofAuthority, ...ofIdentity]) listener(files);
    log.info("a changed certificate is in use");
  }

  for (const name of FILES) {
    watchFile(join(folder, name), { interval: POLL_MS, persistent: false }, onChange);
  }
  onStop("certificates", () => {
    for (const name of FILES) unwatchFile(join(folder, name), onChange);
  });
  return {
    addIdentityCertificateListener: (listener) => add(ofIdentity, listener),
    removeIdentityCertificateListener: (listener) => void ofIdentity.delete(listener),
    addCaCertificateListener: (listener) => add(ofAuthority, listener),
    removeCaCertificateListener: (listener) => void ofAuthority.delete(listener),
  };

  /** grpc-js expects the first call after it has added all listeners. */
  function add<Listener extends (update: Files) => void>(to: Set<Listener>, listener: Listener) {
    to.add(listener);
    process.nextTick(() => listener(files));
  }
}

function isSame(one: Files, other: Files): boolean {
  return (
    one.certificate.equals(other.certificate) &&
    one.privateKey.equals(other.privateKey) &&
    one.caCertificate.equals(other.caCertificate)
  );
}

function readFiles(folder: string): Files {
  const [certificate, privateKey, caCertificate] = FILES.map((name) => readOne(folder, name)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const key = parse(folder, "tls.key", () => createPrivateKey(privateKey));
  const own = parse(folder, "tls.crt", () => new X509Certificate(certificate));
  parse(folder, "ca.crt", () => new X509Certificate(caCertificate));
  if (!own.checkPrivateKey(key)) {
    throw new Error(`RPC_TLS_DIR: tls.key in ${folder} is not the private key of tls.crt`);
  }
  return { certificate, privateKey, caCertificate };
}

function readOne(folder: string, name: string): Buffer {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`RPC_TLS_DIR: ${name} in ${folder} cannot be read (${code})`);
  }
}

/** The error names the file only: that of the parser may quote the key. */
function parse<T>(folder: string, name: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`RPC_TLS_DIR: ${name} in ${folder} is not in PEM format, or it is encrypted`);
  }
}
