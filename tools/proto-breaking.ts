// Messages live longer than processes: a rolling update mixes versions and an outbox holds old events, so a field
// may be added but not renamed, retyped or renumbered. Compares proto/ with what main has; without a main it prints that.
import { spawnSync } from "node:child_process";

function git(...args: string[]) {
  return spawnSync("git", args, { maxBuffer: 64 * 1024 * 1024 });
}

const base = ["origin/main", "main"].find(
  (ref) => git("cat-file", "-e", `${ref}:proto/buf.yaml`).status === 0,
);
if (base === undefined) {
  process.stdout.write("proto: there is no main to compare with\n");
} else {
  const against = ["breaking", "proto", "--against", "-#format=tar,subdir=proto"];
  const { status, error } = spawnSync("buf", against, {
    input: git("archive", "--format=tar", base, "proto").stdout,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
}
