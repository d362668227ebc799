// Publishes the six images and the chart of the commit that is checked out, for amd64 and arm64, each signed, with its
// list of packages and with where it comes from: npm run release -- REGISTRY
//   NODE_IMAGE   base with Node 24 for both architectures, by digest    COSIGN_KEY  the key that signs: a file, or a
//   COSIGN_PASSWORD  of that file                                                   name that cosign reads (a KMS)
// An image is its base and one layer of files, which are the same for both architectures, so nothing is emulated and no
// daemon runs. The same commit on the same base gives the same bytes. Credentials of the registry are docker's.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildProgram } from "./go/programs.mjs";
import { obtainHelm } from "./helm.ts";
import { readBuildEnvironment, readVersion, requireDigest, SERVICES } from "./images.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PLATFORMS = ["linux/amd64", "linux/arm64"];
const CRANE = {
  name: "crane",
  module: "github.com/google/go-containerregistry/cmd/crane",
  version: "v0.22.1",
};
const COSIGN = {
  name: "cosign",
  module: "github.com/sigstore/cosign/v3/cmd/cosign",
  version: "v3.1.3",
};
const TIMEOUT_MS = 10 * 60_000;

type Run = (...args: string[]) => string;

interface Release {
  registry: string;
  version: string;
  commit: string;
  /** When the commit was made: the time of all files. */
  seconds: number;
  base: string;
  key: string;
  folder: string;
  crane: Run;
  cosign: Run;
  helm: Run;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", timeout: TIMEOUT_MS }).trim();
}

/** Runs a program; what it prints is told only when it fails. */
function runner(path: string): Run {
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(path, args, {
      cwd: ROOT,
      encoding: "utf8",
      timeout: TIMEOUT_MS,
    });
    if (status !== 0) throw new Error(`${path} ${args.join(" ")}:\n${stdout}${stderr}`);
    return stdout.trim();
  };
}

async function obtain(program: typeof CRANE): Promise<Run> {
  const found = spawnSync(program.name, ["version"], { stdio: "ignore" }).status === 0;
  const path = found
    ? program.name
    : await buildProgram(program, ["-ldflags", "-s -w"], () =>
        say(`building ${program.name} ${program.version} from its Go module (once, some minutes)`),
      );
  return runner(path);
}

/** A tar file with names in order, without owners, and with the commit's time, so that its bytes are the same again. */
function pack({ seconds, folder }: Release, from: string, below: string, name: string): string {
  const file = join(folder, name);
  const options = ["--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner"];
  const same = [
    ...options,
    `--mtime=@${seconds}`,
    "--mode=a=rX,u+w",
    `--transform=s,^\\.,${below},`,
  ];
  execFileSync("tar", ["--create", "--file", file, ...same, "-C", from, "."]);
  return file;
}

/** What the Dockerfile's last stage says of its image, as options of `crane mutate`. */
export function readImageOptions(given: Record<string, string>): string[] {
  const text = readFileSync(join(ROOT, "deploy/docker/Dockerfile"), "utf8").replaceAll("\\\n", " ");
  const stage = text.slice(text.lastIndexOf("\nFROM "));
  const options: string[] = [];
  for (const [, word = "", written = ""] of stage.matchAll(/^([A-Z]+) (.*)$/gm)) {
    const value = written.replaceAll(/\$\{(\w+)\}/g, (_, name) => given[name] ?? "");
    const pairs = [...value.matchAll(/([\w.]+)=(?:"([^"]*)"|(.*?))(?= [\w.]+=|$)/g)];
    const list = pairs.map(([, name, quoted, plain]) => `${name}=${quoted ?? plain}`);
    if (word === "LABEL") options.push(...list.map((pair) => `--label=${pair}`));
    if (word === "ENV") options.push(...list.map((pair) => `--env=${pair}`));
    if (word === "WORKDIR") options.push(`--workdir=${value}`);
    if (word === "USER") options.push(`--user=${value}`);
    if (word === "ENTRYPOINT") options.push(`--entrypoint=${JSON.parse(value).join(",")}`);
    if (word === "CMD") options.push(`--cmd=${JSON.parse(value).join(",")}`);
  }
  return options;
}

/** Resolves to the image's digest. */
function publishImage(release: Release, service: string): string {
  const { crane, base, version, commit, registry } = release;
  const dist = join(ROOT, "services", service, "dist");
  const name = `${registry}/pay/${service}`;
  const layer = pack(release, dist, "app", `${service}.tar`);
  const given = { ...readBuildEnvironment(service), SERVICE: service, VERSION: version };
  const options = [
    ...readImageOptions(given),
    `--label=org.opencontainers.image.revision=${commit}`,
  ];
  const images = PLATFORMS.map((platform) => {
    const tag = `${name}:${version}-${platform.split("/")[1]}`;
    crane("append", "--platform", platform, "--base", base, "--new_layer", layer, "--new_tag", tag);
    crane("mutate", ...options, "--tag", tag, tag);
    return `${name}@${crane("digest", tag)}`;
  });
  const tag = `${name}:${version}`;
  crane("index", "append", ...images.flatMap((one) => ["--manifest", one]), "--tag", tag);
  const digest = crane("digest", tag);
  sign(release, `${name}@${digest}`, { bill: join(dist, "sbom.cdx.json"), base });
  say(`${name}:${version}@${digest}`);
  return digest;
}

/** Nothing is told to a public log: it would name every private registry. */
function sign(
  release: Release,
  name: string,
  { bill, base }: { bill?: string; base?: string },
): void {
  const { cosign, key, folder } = release;
  const services = join(folder, "signing.json");
  const options = ["--yes", "--key", key, "--signing-config", services];
  cosign("sign", "--recursive", ...options, name);
  const origin = join(folder, "origin.json");
  writeFileSync(origin, JSON.stringify(describeOrigin(release, base)));
  cosign("attest", ...options, "--type", "slsaprovenance1", "--predicate", origin, name);
  if (bill !== undefined)
    cosign("attest", ...options, "--type", "cyclonedx", "--predicate", bill, name);
}

/** Where it comes from, in the form of SLSA 1.0. */
function describeOrigin({ commit, version, seconds }: Release, base: string | undefined): object {
  const source = { name: "source", digest: { gitCommit: commit } };
  const [, sha256 = ""] = base?.split("@sha256:") ?? [];
  const below = base === undefined ? [] : [{ name: "base", uri: base, digest: { sha256 } }];
  const finished = new Date(seconds * 1_000).toISOString();
  return {
    buildDefinition: {
      buildType: "urn:pay:release:v1",
      externalParameters: { command: "npm run release", version },
      resolvedDependencies: [source, ...below],
    },
    runDetails: { builder: { id: "urn:pay:release" }, metadata: { finishedOn: finished } },
  };
}

/** The chart's values: the registry, and each image by its digest. */
export function settleValues(
  values: string,
  registry: string,
  digests: Map<string, string>,
): string {
  const at = values.indexOf("\nservices:\n");
  let services = values.slice(at);
  for (const [service, digest] of digests) {
    services = services.replace(
      new RegExp(`^ {2}${service}:(?: {})?$`, "m"),
      `  ${service}:\n    digest: ${digest}`,
    );
  }
  return values.slice(0, at).replace(/^ {2}registry: ""$/m, `  registry: "${registry}"`) + services;
}

function publishChart(release: Release, digests: Map<string, string>): void {
  const { folder, registry, version, seconds, helm, crane } = release;
  const chart = join(folder, "chart");
  cpSync(join(ROOT, "deploy/helm"), chart, { recursive: true });
  rmSync(join(chart, "examples"), { recursive: true });
  const values = join(chart, "values.yaml");
  writeFileSync(values, settleValues(readFileSync(values, "utf8"), registry, digests));
  const packed = pack(release, chart, "pay", "chart.tar");
  const archive = join(folder, `pay-${version}.tgz`);
  writeFileSync(archive, gzipSync(readFileSync(packed), { level: 9 }));
  // Helm says when a chart was made: by the time of its file.
  utimesSync(archive, seconds, seconds);
  const plain = /^(?:localhost|127\.0\.0\.1)(?::|\/|$)/.test(registry) ? ["--plain-http"] : [];
  helm("push", archive, `oci://${registry}/charts`, ...plain);
  const name = `${registry}/charts/pay`;
  const digest = crane("digest", `${name}:${version}`);
  sign(release, `${name}@${digest}`, {});
  say(`oci://${name}:${version}@${digest}`);
}

async function publish(registry: string, { NODE_IMAGE, COSIGN_KEY }: NodeJS.ProcessEnv) {
  const base = requireDigest(NODE_IMAGE);
  if (!COSIGN_KEY)
    throw new Error("COSIGN_KEY must name the key that signs (cosign generate-key-pair)");
  if (git("status", "--porcelain") !== "") throw new Error("commit what is released first");
  const folder = mkdtempSync(join(tmpdir(), "pay-release-"));
  try {
    const release: Release = {
      registry,
      base,
      key: COSIGN_KEY,
      folder,
      version: readVersion(),
      commit: git("rev-parse", "HEAD"),
      seconds: Number(git("log", "-1", "--format=%ct")),
      crane: await obtain(CRANE),
      cosign: await obtain(COSIGN),
      helm: runner(await obtainHelm(say)),
    };
    release.cosign("signing-config", "create", "--out", join(folder, "signing.json"));
    publishChart(release, new Map(SERVICES.map((name) => [name, publishImage(release, name)])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const [registry = ""] = process.argv.slice(2);
  try {
    if (!/^[\w.-]+(?::\d+)?(?:\/[\w./-]+)?$/.test(registry)) {
      throw new Error("name the registry: npm run release -- registry.example.com");
    }
    await publish(registry, process.env);
  } catch (error) {
    process.stderr.write(`release: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
