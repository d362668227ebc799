// Two builds of the product: the working tree, and the next version (second-build.ts). Both are put where the cluster
// finds them by IMAGE_LOADER, a command that gets the names of images as arguments (for example `kind load
// docker-image`); without it they are pushed to IMAGE_REPOSITORY.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_NAMES } from "@pay/standalone";
import { run } from "./kube.ts";
import { bundleSecond, MIGRATION } from "./second-build.ts";

export interface Builds {
  repository: string;
  first: string;
  second: string;
}

const BUILD_TIMEOUT_MS = 15 * 60_000;

export async function buildAndLoad(): Promise<Builds> {
  const repository = process.env.IMAGE_REPOSITORY || "pay";
  const stamp = Date.now().toString(36);
  const builds = { repository, first: `e2e-${stamp}-1`, second: `e2e-${stamp}-2` };
  const env = { IMAGE_TAG: builds.first, IMAGE_REPOSITORY: repository };
  await run("npm", ["run", "images"], { timeoutMs: BUILD_TIMEOUT_MS, env });
  await buildSecond(builds);
  const images = [builds.first, builds.second].flatMap((tag) =>
    SERVICE_NAMES.map((name) => `${repository}/${name}:${tag}`),
  );
  await load(images);
  return builds;
}

function builder(): string {
  return process.env.IMAGE_BUILDER || "docker";
}

async function buildSecond({ repository, first, second }: Builds): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), "pay-second-"));
  const sources = mkdtempSync(join(tmpdir(), "pay-sources-"));
  try {
    const folder = join(context, "migrations", MIGRATION.name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "migration.sql"), MIGRATION.sql);
    const bundled = await bundleSecond(sources);
    for (const [name, from] of bundled) cpSync(from, join(context, name), { recursive: true });
    for (const name of SERVICE_NAMES) {
      function image(tag: string) {
        return `${repository}/${name}:${tag}`;
      }

      const lines = [
        `FROM ${image(first)}`,
        "ENV BUILD=2",
        ...(bundled.has(name) ? [`COPY ${name} /app/service`] : []),
        ...(name === "payments" ? ["COPY migrations /app/prisma/migrations"] : []),
      ];
      writeFileSync(join(context, "Dockerfile"), `${lines.join("\n")}\n`);
      await run(builder(), ["build", "-t", image(second), context], {
        timeoutMs: BUILD_TIMEOUT_MS,
      });
    }
  } finally {
    rmSync(context, { recursive: true, force: true });
    rmSync(sources, { recursive: true, force: true });
  }
}

async function load(images: string[]): Promise<void> {
  const { IMAGE_LOADER } = process.env;
  if (IMAGE_LOADER) {
    const [command = "", ...args] = IMAGE_LOADER.split(" ");
    await run(command, [...args, ...images], { timeoutMs: BUILD_TIMEOUT_MS });
    return;
  }
  for (const image of images) {
    await run(builder(), ["push", image], { timeoutMs: BUILD_TIMEOUT_MS });
  }
}

/** Removes the images, which are useless after the run. */
export async function removeImages({ repository, first, second }: Builds): Promise<void> {
  for (const tag of [second, first]) {
    const images = SERVICE_NAMES.map((name) => `${repository}/${name}:${tag}`);
    await run(builder(), ["rmi", ...images]).catch(() => {});
  }
}
