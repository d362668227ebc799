// Messages live longer than processes: a rolling update mixes releases and an outbox holds old events, so a field may
// be added but not renamed, retyped or renumbered. Compares proto/ with the newest release, which is the newest tag.
import { spawnSync } from "node:child_process";

function git(...args: string[]) {
  return spawnSync("git", args, { maxBuffer: 64 * 1024 * 1024 });
}

function compare(): number {
  const { status, stdout } = git("describe", "--tags", "--abbrev=0");
  if (status !== 0) {
    process.stdout.write("proto: there is no release yet to compare with\n");
    return 0;
  }
  const { error, status: result } = spawnSync(
    "buf",
    ["breaking", "proto", "--against", "-#format=tar,subdir=proto"],
    {
      input: git("archive", "--format=tar", stdout.toString().trim(), "proto").stdout,
      stdio: ["pipe", "inherit", "inherit"],
    },
  );
  if (error !== undefined) throw error;
  return result ?? 1;
}

process.exitCode = compare();
