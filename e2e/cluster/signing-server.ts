// A server that signs, in a pod of its own that has the key: chains asks it over mutual TLS.
import { fileURLToPath } from "node:url";
import { type Certificate, createAuthority } from "@pay/testing";
import { type Kube, makeSecret, run } from "./kube.ts";
import type { Values } from "./release.ts";

const NAME = "signing-server";
const PORT = 8443;
const HOME = "/run/server";
const USER = 10_001;
const ROOT = new URL("../../", import.meta.url);

export interface SigningServer {
  url: string;
  address: string;
  /** By which chains knows it, and what chains shows it. */
  ca: string;
  client: Certificate;
}

export interface ServerOptions {
  /** Of the installation, whose image has the Node that runs it. */
  values: Values;
  key: { address: string; keystore: string; passphrase: string };
}

export async function startSigningServer(
  kube: Kube,
  { values, key }: ServerOptions,
): Promise<SigningServer> {
  const host = `${NAME}.${kube.namespace}.svc`;
  const [servers, clients] = [createAuthority("Servers"), createAuthority("Clients")];
  const own = servers.issue({ names: [host] });
  const files = {
    "main.js": await program(),
    "package.json": '{ "type": "module" }',
    "key.json": key.keystore,
    passphrase: key.passphrase,
    "tls.crt": own.cert,
    "tls.key": own.key,
    "ca.crt": clients.ca,
  };
  const selector = { app: NAME };
  const metadata = { name: NAME, labels: selector };
  await kube.apply(
    makeSecret(NAME, files),
    { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec(values) },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector, ports: [{ port: PORT }] } },
  );
  await kube.kubectl(["wait", "--for=condition=Ready", `pod/${NAME}`, "--timeout=50s"]);
  return {
    url: `https://${host}:${PORT}`,
    address: key.address,
    ca: servers.ca,
    client: clients.issue({ names: ["chains"] }),
  };
}

/** Nonces of the transactions that it signed. */
export async function noncesSigned(kube: Kube): Promise<Set<string>> {
  const said = await kube.kubectl(["logs", NAME]);
  return new Set(said.match(/(?<=signed nonce )\d+/g));
}

/** One file with all that it needs besides Node. */
function program(): Promise<string> {
  const esbuild = fileURLToPath(new URL("node_modules/.bin/esbuild", ROOT));
  const source = fileURLToPath(new URL("services/chains/test/signing-server/main.ts", ROOT));
  const format = ["--bundle", "--minify", "--platform=node", "--target=node24", "--format=esm"];
  return run(esbuild, [source, ...format]);
}

function podSpec({ image }: Values): object {
  const { repository, tag, pullPolicy } = image;
  return {
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      fsGroup: USER,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: NAME,
        image: `${repository}/chains:${tag}`,
        imagePullPolicy: pullPolicy,
        command: ["node", `${HOME}/main.js`, HOME, `${PORT}`],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [{ name: "files", mountPath: HOME, readOnly: true }],
        readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
      },
    ],
    volumes: [{ name: "files", secret: { secretName: NAME, defaultMode: 0o440 } }],
  };
}
