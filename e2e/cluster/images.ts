// Two builds of the product: the working tree, and the same with one more migration. Both are put where the cluster
// finds them by IMAGE_LOADER, a command that gets the names of images as arguments (for example `kind load docker-image`);
// without it they are pushed to IMAGE_REPOSITORY.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_NAMES } from "@pay/standalone";
import { run } from "./kube.ts";

export interface Builds {
  repository: string;
  first: string;
  second: string;
  /** What the second build adds to the payments' database. */
  column: string;
}

const BUILD_TIMEOUT_MS = 15 * 60_000;
const COLUMN = "e2e_note";
const MIGRATION = "29990101000000_e2e_note";

export async function buildAndLoad(): Promise<Builds> {
  const repository = process.env.IMAGE_REPOSITORY || "pay";
  const stamp = Date.now().toString(36);
  const builds = { repository, first: `e2e-${stamp}-1`, second: `e2e-${stamp}-2`, column: COLUMN };
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

async function buildSecond({ repository, first, second, column }: Builds): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), "pay-second-"));
  try {
    const folder = join(context, "migrations", MIGRATION);
    mkdirSync(folder, { recursive: true });
    const sql = `alter table payment_records add column ${column} text;\n`;
    writeFileSync(join(folder, "migration.sql"), sql);
    for (const name of SERVICE_NAMES) {
      function image(tag: string) {
        return `${repository}/${name}:${tag}`;
      }

      const more = name === "payments" ? "COPY migrations /app/prisma/migrations\n" : "";
      writeFileSync(join(context, "Dockerfile"), `FROM ${image(first)}\nENV BUILD=2\n${more}`);
      await run(builder(), ["build", "-t", image(second), context], {
        timeoutMs: BUILD_TIMEOUT_MS,
      });
    }
  } finally {
    rmSync(context, { recursive: true, force: true });
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
