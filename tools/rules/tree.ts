import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tree } from "./rule.ts";

/** Every file of the repository, also those not yet added, without files that git ignores; pictures have no text. */
export function readTree(root: string): Tree {
  return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return text.includes("\0")
        ? [{ path, text: "", lines: [] }]
        : [{ path, text, lines: text.split("\n") }];
    });
}
