import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const FOLDER = "/dev/shm";
/** A whole run has no more than a third of this in files at a time. */
const ROOM_BYTES = 6 * 2 ** 30;

/**
 * A run makes and deletes a hundred thousand small files, most of them tables of databases. Where ext4 must give each a
 * place among those deleted in the last seconds, a fifth of the run's time goes into looking for it. So they lie in
 * memory where there is room for them.
 */
export function filesInMemory(): string {
  return hasRoom() && runsPrograms() ? FOLDER : tmpdir();
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/** Tests also build programs and start them. */
function runsPrograms(): boolean {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(FOLDER, "pay-program-"));
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
