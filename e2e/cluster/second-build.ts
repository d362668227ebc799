// The sources of the second build: a copy of the working tree in which payments has one more column and one more rpc,
// and the gateway calls it when it explains a payment. Nothing of it is in the product: it is what the next version may
// bring.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./kube.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Folders of packages of our own. */
const OWN = ["libs", "services"];
const COPIED = [
  ...OWN,
  "proto",
  "sdk",
  "tools",
  "web",
  "e2e/story",
  "package.json",
  "tsconfig.json",
];
/** Packages, which are linked, and what the build makes anew. */
const LEFT_OUT = /(^|\/)(node_modules|\.turbo)(\/|$)|^services\/[^/]+\/dist(\/|$)/;
const TIMEOUT_MS = 5 * 60_000;

export const COLUMN = "e2e_note";
/** What the second build tells of every payment. */
export const NOTE = "known since the second build";
export const MIGRATION = {
  name: "29990101000000_e2e_note",
  sql: `alter table payments add column ${COLUMN} text default '${NOTE}';\n`,
};
/** As gRPC names it. */
export const NEW_RPC = "/payments.v1.PaymentsService/ReadNote";

const EXPLANATION = "renderExplanation({ payment, transactions, finality, now: clock.now() })";

/** Each text stands in its file once. */
const EDITS: { file: string; text: string; becomes: string }[] = [
  {
    file: "proto/payments/v1/payments.proto",
    text: "  // Lists payments of one project, newest first.\n",
    becomes: `  // Reads the note of a payment.
  rpc ReadNote(ReadNoteRequest) returns (ReadNoteResponse) {
    option (access.v1.callers) = CALLER_GATEWAY;
  }
  // Lists payments of one project, newest first.
`,
  },
  {
    file: "proto/payments/v1/payments.proto",
    text: "message CreatePayment {\n",
    becomes: `message ReadNoteRequest {
  tenancy.v1.Tenant tenant = 1;
  string request_id = 2;
  string id = 3;
}

message ReadNoteResponse {
  string note = 1;
}

message CreatePayment {
`,
  },
  {
    file: "services/payments/src/service.ts",
    text: "    listPayments: (request, context) =>",
    becomes: `    readNote: async ({ tenant, id }) => {
      const text = "select ${COLUMN} as note from payments where project_id = $1 and id = $2";
      const { rows } = await deps.db.pool.query(text, [tenant?.projectId, id]);
      return { note: rows[0]?.note ?? "" };
    },
    listPayments: (request, context) =>`,
  },
  {
    file: "services/gateway/src/api/payments/routes.ts",
    text: `    return ${EXPLANATION};`,
    becomes: `    const { note } = await services.payments.readNote({ id: params.id });
    return { ...${EXPLANATION}, note };`,
  },
];

/** Bundles the services that differ into their folders below `home`, and returns the folders by name. */
export async function bundleSecond(home: string): Promise<Map<string, string>> {
  for (const name of COPIED) {
    cpSync(join(ROOT, name), join(home, name), {
      recursive: true,
      filter: (from) => !LEFT_OUT.test(relative(ROOT, from)),
    });
  }
  linkPackages(home);
  for (const one of EDITS) edit(home, one);
  const bin = join(ROOT, "node_modules/.bin");
  const PATH = [bin, process.env.PATH ?? ""].join(delimiter);
  await run(join(bin, "buf"), ["generate"], { cwd: join(home, "proto"), env: { PATH } });
  const bundled = new Map<string, string>();
  for (const name of ["gateway", "payments"]) {
    const cwd = join(home, "services", name);
    await run(process.execPath, [join(home, "tools/bundle.mjs")], { cwd, timeoutMs: TIMEOUT_MS });
    bundled.set(name, join(cwd, "dist/service"));
  }
  return bundled;
}

/** Installed packages are those of the working tree; our own are those of the copy. */
function linkPackages(home: string): void {
  const folders = [
    "",
    ...OWN.flatMap((top) => readdirSync(join(ROOT, top)).map((one) => join(top, one))),
  ];
  for (const folder of folders) {
    const [from, to] = [join(ROOT, folder, "node_modules"), join(home, folder, "node_modules")];
    if (!existsSync(from)) continue;
    mkdirSync(to);
    for (const name of readdirSync(from)) {
      if (name !== "@pay") symlinkSync(join(from, name), join(to, name));
    }
  }
  const own = join(home, "node_modules/@pay");
  mkdirSync(own);
  for (const name of readdirSync(join(ROOT, "node_modules/@pay"))) {
    symlinkSync(readlinkSync(join(ROOT, "node_modules/@pay", name)), join(own, name));
  }
}

function edit(home: string, { file, text, becomes }: (typeof EDITS)[number]): void {
  const path = join(home, file);
  const [head, ...rest] = readFileSync(path, "utf8").split(text);
  if (rest.length !== 1) {
    throw new Error(`${file} must hold this text once, for the second build: ${text}`);
  }
  writeFileSync(path, `${head}${becomes}${rest[0]}`);
}
