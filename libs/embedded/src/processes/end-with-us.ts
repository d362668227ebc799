import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Starts a guard that reads from a pipe only our process holds. In whatever way we end, the pipe closes and the guard
 * ends the child. The function it returns ends the guard, for when the child has ended. In either case the guard
 * deletes the folder, if one is given.
 */
export function endWithUs(
  pid: number,
  signal: "INT" | "TERM" | "KILL",
  folder?: string,
): () => void {
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
}
