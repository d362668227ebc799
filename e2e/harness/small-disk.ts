// A small file system of its own that a test can fill. It needs the right to mount one.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  folder: string;
  /** Until so many bytes are left. */
  fill(leftBytes: number): void;
  makeRoom(): void;
  remove(): void;
}

/** Undefined where none may be mounted. */
export function mountSmallDisk(size: string): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "pay-small-disk-"));
  const filler = join(folder, "filler");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], {
      stdio: "ignore",
    });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    fill: (leftBytes) => {
      const file = openSync(filler, "w");
      try {
        for (const bytes of [1 << 20, 4_096]) writeUntilFull(file, Buffer.alloc(bytes));
        ftruncateSync(file, Math.max(fstatSync(file).size - leftBytes, 0));
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remove: () => {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, chunk: Buffer): void {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
