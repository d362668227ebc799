// Messages live longer than processes: a rolling update mixes versions and an outbox holds old events, so a field
// may be added but not renamed, retyped or renumbered. Compares proto/ with what main has; without a main it prints that.
import { spawnSync } from "node:child_process";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const ALL_REPORTED = 100;

/**
 * Changes that are reported and break nothing, word for word. What an event carries got a message of its own, with the numbers,
 * types and names of the one before: `libs/events/src/contract.test.ts` proves it by bytes that were written before the
 * change. Its own messages are compared like all others. The list can go once main has them.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  ...[
    ["10", "payment", "payments.v1.Payment", "events.v1.PaymentSnapshot"],
    ["11", "refund", "refunds.v1.Refund", "events.v1.RefundSnapshot"],
    ["12", "settlement", "settlements.v1.Settlement", "events.v1.SettlementSnapshot"],
    ["13", "customer", "customers.v1.Customer", "events.v1.CustomerSnapshot"],
    ["14", "project", "projects.v1.Project", "events.v1.ProjectSnapshot"],
  ].map(
    ([number, name, before, after]) =>
      `proto/events/v1/events.proto: Field "${number}" with name "${name}" on message "Event" changed type from "${before}" to "${after}".`,
  ),
  // It had the message of the project's events and nothing else.
  'proto: Previously present file "projects/v1/projects.proto" was deleted.',
]);

/** What buf reports, one JSON object a line, without what breaks nothing. */
export function breaksIn(reported: string): string[] {
  return reported
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { path?: string; message: string })
    .map(({ path = "proto", message }) => `${path}: ${message}`)
    .filter((change) => !HARMLESS.has(change));
}

function git(...args: string[]) {
  return spawnSync("git", args, { maxBuffer: 64 * 1024 * 1024 });
}

function compare(): void {
  const base = ["origin/main", "main"].find(
    (ref) => git("cat-file", "-e", `${ref}:proto/buf.yaml`).status === 0,
  );
  if (base === undefined) {
    process.stdout.write("proto: there is no main to compare with\n");
    return;
  }
  const against = ["--against", "-#format=tar,subdir=proto"];
  const { status, error, stdout } = spawnSync(
    "buf",
    ["breaking", "proto", "--error-format", "json", ...against],
    {
      input: git("archive", "--format=tar", base, "proto").stdout,
      stdio: ["pipe", "pipe", "inherit"],
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (error !== undefined) throw error;
  const breaks = status === ALL_REPORTED ? breaksIn(stdout) : [];
  for (const change of breaks) console.error(change);
  if (status === ALL_REPORTED) process.exitCode = breaks.length === 0 ? 0 : 1;
  else process.exitCode = status ?? 1;
}

if (argv[1] === fileURLToPath(import.meta.url)) compare();
