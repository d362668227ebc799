import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { readImageOptions } from "./release.ts";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "images.ts");
const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

/** The message of a build that cannot start: of a bad base, or of a missing builder. */
function said(env: Record<string, string>) {
  const options = { env: { IMAGE_BUILDER: "no-such-builder", ...env }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], options);
  expect(status).toBe(1);
  return stderr;
}

test.each([
  ["no registry", [], {}, /^release: name the registry/],
  ["no registry's name", ["https://registry.example.com"], {}, /^release: name the registry/],
  ["no base", ["registry.example.com"], {}, /^release: NODE_IMAGE must name the base image/],
  [
    "no key",
    ["registry.example.com"],
    { NODE_IMAGE: `node:24-slim@${DIGEST}` },
    /^release: COSIGN_KEY must name the key/,
  ],
])("a release says what it lacks: %s", (_, args: string[], env: object, message) => {
  const script = join(dirname(SCRIPT), "release.ts");
  const options = { env: { PATH: process.env.PATH, ...env }, encoding: "utf8" } as const;
  expect(spawnSync(process.execPath, [script, ...args], options).stderr).toMatch(message);
});

test("a released image runs as the Dockerfile says", () => {
  expect(
    readImageOptions({ SERVICE: "refunds", VERSION: "0.1.0", NODE_OPTIONS: "--a --b=1" }),
  ).toEqual([
    "--label=org.opencontainers.image.title=pay-refunds",
    "--label=org.opencontainers.image.version=0.1.0",
    "--env=NODE_OPTIONS=--a --b=1",
    "--env=GLIBC_TUNABLES=",
    "--env=PATH=/nodejs/bin:/usr/local/bin:/usr/bin:/bin",
    "--env=NODE_ENV=production",
    "--env=SERVICE=refunds",
    "--env=VERSION=0.1.0",
    "--env=GATEWAY_HOST=::",
    "--env=INTERNAL_HOST=::",
    "--workdir=/app/service",
    "--user=10001:10001",
    "--entrypoint=node",
    "--cmd=main.js",
  ]);
});

const NO_BUILDER = "images: no image builder answers (tried no-such-builder)\n";

test.each([
  ["none", {}],
  ["a tag", { NODE_IMAGE: "node:24-slim" }],
  ["half a digest", { NODE_IMAGE: "node:24-slim@sha256:0123" }],
  ["a local one without a name", { NODE_IMAGE_LOCAL: "1" }],
])("no image is built on a base that is not named by its digest: %s", (_, env) => {
  expect(said(env)).toMatch(/^images: NODE_IMAGE must name the base image by its digest/);
});

test("a base is taken by its digest, or by any name where NODE_IMAGE_LOCAL is set", () => {
  expect(said({ NODE_IMAGE: `node:24-slim@${DIGEST}` })).toBe(NO_BUILDER);
  expect(said({ NODE_IMAGE: "local/node:24-slim", NODE_IMAGE_LOCAL: "1" })).toBe(NO_BUILDER);
});

test("a bundle comes with the licences of what it contains and the list of its packages", () => {
  const folder = mkdtempSync(join(tmpdir(), "pay-bundle-"));
  try {
    const service = join(dirname(SCRIPT), "../services/customers");
    execFileSync(process.execPath, [join(dirname(SCRIPT), "bundle.mjs"), folder], { cwd: service });
    const notices = readFileSync(join(folder, "THIRD-PARTY-NOTICES"), "utf8");
    const bill = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"));
    expect(bill).toMatchObject({ bomFormat: "CycloneDX" });
    const listed = bill.components.map((one: { "bom-ref": string }) => one["bom-ref"]);
    const noticed = [...notices.matchAll(/^(@?[\w./-]+@\d[\w.+-]*)$/gm)].map(([, id]) => id);
    expect(listed.toSorted()).toEqual(noticed.toSorted());
    for (const name of ["pg", "kafkajs", "@grpc/grpc-js", "pino"]) {
      expect(listed).toContainEqual(expect.stringMatching(new RegExp(`^${name}@\\d`)));
    }
    expect(listed).not.toContainEqual(expect.stringMatching(/^(?:@pay\/|express@|jest@)/));
    expect(notices).toContain("Permission is hereby granted, free of charge");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
