import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * The guard reads from a pipe that only our process holds: whatever way we end, the pipe closes and the guard ends
 * the child. Answers how to send the guard home once the child is gone; in either case the folder, if one is given,
 * goes as well.
 */
export const endWithUs = (
  pid: number,
  signal: "INT" | "TERM" | "KILL",
  folder?: string,
): (() => void) => {
  const clearUp = folder === undefined ? "" : '; rm -rf "$1"';
  const script = `read -r _ || kill -${signal} ${pid}${clearUp}`;
  const guard = spawn("sh", ["-c", script, "sh", folder ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
  });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  (guard.stdin as Socket).unref(); // Or a forgotten child would keep our process from ending.
  return () => guard.stdin.end("done\n");
};
