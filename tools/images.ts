// Builds the image of every service and prints its size.
//   NODE_IMAGE        base image, by digest            IMAGE_REPOSITORY  before the service's name (pay)
//   IMAGE_TAG         tag (the chart's appVersion)     IMAGE_BUILDER     docker, podman or buildah
//   NODE_IMAGE_LOCAL  1 takes a base without a digest, e.g. one that was built on this machine
// Names of services as arguments build only those.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const SERVICES = ["gateway", "payments", "customers", "refunds", "chains", "webhooks"];
const BUILDERS = ["docker", "podman", "buildah"];
const MEGABYTE = 1_000_000;
/** Limit of an image's size above its base; a larger image contains files that do not belong there. */
const OWN_MEGABYTES_MAX = 40;

/** A tag may name another image tomorrow; a digest is the image. */
const BY_DIGEST = /^[^@\s]+@sha256:[0-9a-f]{64}$/;

export function requireDigest(base = "", local = ""): string {
  if (BY_DIGEST.test(base) || (local === "1" && base !== "")) return base;
  throw new Error(
    "NODE_IMAGE must name the base image by its digest (node:24-slim@sha256:...); " +
      "NODE_IMAGE_LOCAL=1 takes any name, for images that stay on this machine",
  );
}

export function readVersion(): string {
  const chart = readFileSync(join(ROOT, "deploy/helm/Chart.yaml"), "utf8");
  return /^appVersion: "(.+)"$/m.exec(chart)?.[1] ?? "0.0.0";
}

/** The first installed builder that answers. */
function chooseBuilder(wanted: string | undefined): string {
  for (const name of wanted ? [wanted] : BUILDERS) {
    const { status } = spawnSync(name, ["info"], { stdio: "ignore" });
    if (status === 0) return name;
  }
  throw new Error(`no image builder answers (tried ${wanted ?? BUILDERS.join(", ")})`);
}

function measureSize(builder: string, image: string): number {
  const kind = builder === "buildah" ? ["inspect", "--type", "image"] : ["image", "inspect"];
  const args = [...kind, "--format", "{{.Size}}", image];
  return Number(execFileSync(builder, args, { encoding: "utf8" }).trim());
}

interface Build {
  builder: string;
  service: string;
  base: string;
  image: string;
  version: string;
}

/** Sizes of the process's memory. */
export function readBuildEnvironment(service: string): Record<string, string> {
  const file = join(ROOT, "services", service, "package.json");
  return JSON.parse(readFileSync(file, "utf8")).environment ?? {};
}

function buildOne({ builder, service, base, image, version }: Build): void {
  const context = join(ROOT, "services", service, "dist");
  if (!existsSync(context)) throw new Error(`${context} is not there: run npm run bundle first`);
  const args = [
    "build",
    "-f",
    join(ROOT, "deploy/docker/Dockerfile"),
    "-t",
    image,
    "--build-arg",
    `NODE_IMAGE=${base}`,
    "--build-arg",
    `SERVICE=${service}`,
    ...Object.entries(readBuildEnvironment(service)).flatMap(([name, value]) => [
      "--build-arg",
      `${name}=${value}`,
    ]),
    "--build-arg",
    `VERSION=${version}`,
    context,
  ];
  const { status, stdout, stderr } = spawnSync(builder, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${image} could not be built:\n${stdout}${stderr}`);
}

function main(): void {
  const { env } = process;
  const base = requireDigest(env.NODE_IMAGE, env.NODE_IMAGE_LOCAL);
  const builder = chooseBuilder(env.IMAGE_BUILDER);
  const version = env.IMAGE_TAG || readVersion();
  const wanted = process.argv.slice(2);
  for (const service of wanted.length > 0 ? wanted : SERVICES) {
    const image = `${env.IMAGE_REPOSITORY || "pay"}/${service}:${version}`;
    buildOne({ builder, service, base, image, version });
    const size = measureSize(builder, image);
    const own = size - measureSize(builder, base);
    const figures = [size, own].map((bytes) => (bytes / MEGABYTE).toFixed(1).padStart(6));
    process.stdout.write(`${image.padEnd(40)}${figures[0]} MB  ${figures[1]} MB above ${base}\n`);
    if (own > OWN_MEGABYTES_MAX * MEGABYTE) {
      throw new Error(`${image} is more than ${OWN_MEGABYTES_MAX} MB above its base`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    process.stderr.write(`images: ${(error as Error).message}\n`);
    process.exit(1);
  }
}
