// A server as a child process. It is in a process group of its own, so Ctrl-C reaches us and not it, and it stays until
// we have stopped what uses it. It does not keep our process from ending; when our process ends, in whatever way, a
// guard ends the child.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { endWithUs } from "./end-with-us.ts";
import { type ChildServer, createHandle, type StopStep } from "./handle.ts";

const OUTPUT_CHARS_MAX = 16_000;

export interface ChildOptions {
  file: string;
  args: string[];
  options?: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid">;
  stopSteps: readonly StopStep[];
  /** The signal that the guard sends when our process has ended. */
  orphanSignal: "INT" | "TERM" | "KILL";
  /** A folder that is deleted when the child has ended. */
  folder?: string | undefined;
  onLine?: ((line: string) => void) | undefined;
}

export interface Child {
  /** Undefined when the program could not be started at all; `exited` resolves then too. */
  readonly pid: number | undefined;
  readonly handle: ChildServer;
  /** The last part of the output, or why the program could not be started. */
  output(): string;
  /**
   * Calls the probe until it succeeds; a failed one throws. Answers undefined then, else why not: the fault of the last
   * probe, or "ended". A child that was not ready in time, or never will be, is killed.
   */
  untilReady(wait: Readiness): Promise<NotReady | undefined>;
}

export interface Readiness {
  probe(): Promise<unknown>;
  timeoutMs: number;
  pauseMs: number;
}

/** An error that no further probe changes; thrown by a probe. */
export class NeverReady extends Error {}

export type NotReady = { ended: true } | { ended: false; fault: Error };

type Spawned = ChildProcess & { stdout: Readable; stderr: Readable };

export function startChild(options: ChildOptions): Child {
  const { file, args, stopSteps, orphanSignal, folder } = options;
  const child = spawn(file, args, {
    ...options.options,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  }) as Spawned;
  const { pid } = child;
  const release = pid === undefined ? () => {} : endWithUs(pid, orphanSignal, folder);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  }).finally(() => {
    ended = true;
    release();
  });
  for (const part of [child, child.stdout, child.stderr]) (part as Socket | null)?.unref();

  const output = collectOutput(child);
  if (options.onLine !== undefined) {
    for (const stream of [child.stdout, child.stderr]) forEachLine(stream, options.onLine);
  }

  const handle = createHandle({ pid: pid as number, exited, stopSteps });
  return {
    pid,
    handle,
    output,
    untilReady: async ({ probe, timeoutMs, pauseMs }) => {
      const untilMs = Date.now() + timeoutMs;
      let fault = new Error("it was not probed");
      while (!ended && Date.now() < untilMs) {
        try {
          await probe();
          return undefined;
        } catch (error) {
          fault = error as Error;
          if (fault instanceof NeverReady) break;
        }
        await pause(pauseMs);
      }
      if (ended) return { ended };
      await handle.kill();
      return { ended: false, fault };
    },
  };
}

function collectOutput(child: Spawned): () => string {
  let output = "";
  child.once("error", (error) => {
    output = error.message;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARS_MAX);
    });
  }
  return () => output;
}

function forEachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
}
