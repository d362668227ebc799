// Bundles one service for its image: run in the service's folder, it fills `dist/`, or the folder in its argument, with
// all that the image holds besides Node, so that building an image copies files and needs neither npm nor a network.
//   service/main.js      the service          service/migrate.js   applies its migrations
//   service/dead-letters.js  the operator's command for its dead letters
//   service/events.js    the command that shows the events of topics
//   prisma/              schema, migrations   node_modules/        of the gateway: the page on which shoppers pay
//   THIRD-PARTY-NOTICES  licences of what it contains   sbom.cdx.json  its packages, as CycloneDX
// Chains also has service/books.js and service/signers.js, the operator's commands for its books and for the wallets it
// signs for. The gateway also has service/create-project.js and service/create-key.js for the operator, and
// service/story.js, which `helm test` runs.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readBill } from "./bill.mjs";
import { formatNotices, listBundled } from "./notices.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SERVICE = process.cwd();
const DIST = process.argv[2] ?? join(SERVICE, "dist");

const PAGES = { gateway: ["checkout", "dashboard"] };

function listEntries(service) {
  return {
    main: join(SERVICE, "src/main.ts"),
    migrate: join(ROOT, "libs/database/src/runner/main.ts"),
    "dead-letters": join(ROOT, "libs/events/src/dead-letters/main.ts"),
    events: join(ROOT, "libs/events/src/follow/main.ts"),
    ...(service === "chains"
      ? {
          books: join(SERVICE, "src/books/main.ts"),
          signers: join(SERVICE, "src/payouts/main.ts"),
        }
      : {}),
    ...(service === "gateway"
      ? {
          "create-project": join(SERVICE, "src/operator/main.ts"),
          "create-key": join(SERVICE, "src/operator/keys/main.ts"),
          "create-member": join(SERVICE, "src/operator/members/main.ts"),
          "dashboard-link": join(SERVICE, "src/operator/links/main.ts"),
          story: join(ROOT, "e2e/story/main.ts"),
        }
      : {}),
  };
}

// Some packages are CommonJS inside: they expect these three, which an ES module lacks.
const COMMONJS = [
  'import { createRequire as $createRequire } from "node:module";',
  'import { fileURLToPath as $fileURLToPath } from "node:url";',
  "const require = $createRequire(import.meta.url);",
  "const __filename = $fileURLToPath(import.meta.url);",
  'const __dirname = $fileURLToPath(new URL(".", import.meta.url));',
].join("\n");

function bundle(service) {
  return build({
    entryPoints: listEntries(service),
    outdir: join(DIST, "service"),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: { js: COMMONJS },
    // Names stay readable in stack traces; the whole is small anyway.
    keepNames: true,
    legalComments: "linked",
    metafile: true,
    // pg looks for a native twin and kafkajs for nothing more; both go on without.
    external: ["pg-native"],
    logLevel: "warning",
  });
}

/** Pages as set-up has built them. */
function copyPage(name) {
  const home = join(ROOT, "web", name);
  const there = join(DIST, "node_modules/@pay", name);
  mkdirSync(there, { recursive: true });
  cpSync(join(home, "package.json"), join(there, "package.json"));
  cpSync(join(home, "dist"), join(there, "dist"), { recursive: true });
}

function copySchema() {
  const from = join(SERVICE, "prisma");
  const to = join(DIST, "prisma");
  mkdirSync(to, { recursive: true });
  for (const name of ["schema.prisma", "migrations"]) {
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** What npm knows of the packages that are in the bundle or in a page; the same for the same lock file. */
function listPackages(service, bundled) {
  const pages = PAGES[service] ?? [];
  const ofPages = pages.flatMap((name) =>
    JSON.parse(readFileSync(join(ROOT, "web", name, "dist/packages.json"), "utf8")),
  );
  const contained = new Set([...bundled.map(({ id }) => id), ...ofPages]);
  const { serialNumber: _, metadata, components, dependencies, ...bill } = readBill();
  const { timestamp: __, component, ...about } = metadata;
  return {
    ...bill,
    metadata: { ...about, component: { ...component, name: `pay-${service}` } },
    components: components.filter((one) => contained.has(one["bom-ref"])),
    dependencies: dependencies.flatMap(({ ref, dependsOn }) =>
      contained.has(ref) ? [{ ref, dependsOn: dependsOn.filter((one) => contained.has(one)) }] : [],
    ),
  };
}

const service = basename(SERVICE);
rmSync(DIST, { recursive: true, force: true });
const { metafile } = await bundle(service);
const bundled = listBundled(metafile, SERVICE);
writeFileSync(join(DIST, "THIRD-PARTY-NOTICES"), formatNotices(bundled));
const packages = JSON.stringify(listPackages(service, bundled), undefined, 2);
writeFileSync(join(DIST, "sbom.cdx.json"), `${packages}\n`);
copySchema();
for (const name of PAGES[service] ?? []) copyPage(name);
writeFileSync(join(DIST, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
