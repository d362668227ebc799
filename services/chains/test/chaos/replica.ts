// A process of the service that may be killed at any moment.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BusRecord } from "@pay/events";
import { shareCompiledCode } from "@pay/testing";

const MAIN = fileURLToPath(new URL("replica/main.ts", import.meta.url));

export interface Replica {
  start(): void;
  /** As a power cut does. */
  kill(): Promise<void>;
  /** Whether it takes events. */
  isReady(): boolean;
  give(records: readonly BusRecord[]): void;
  /** Whether it has ended without being killed. */
  hasCrashed(): boolean;
}

export interface ReplicaOptions {
  environment: Record<string, string>;
  /** Everything that it would find at its broker when it starts. */
  log(): readonly BusRecord[];
  published(records: readonly BusRecord[]): void;
}

export function createReplica({ environment, log, published }: ReplicaOptions): Replica {
  let child: ChildProcess | undefined;
  let isReady = false;
  let hasCrashed = false;

  function give(records: readonly BusRecord[]) {
    // The channel ends with the process; what is lost with it is handed over again by the next start.
    if (isReady && records.length > 0) child?.send([...records], () => undefined);
  }

  return {
    give,
    isReady: () => isReady,
    hasCrashed: () => hasCrashed,
    start: () => {
      if (child !== undefined) return;
      const started = fork(MAIN, {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        env: { ...shareCompiledCode(), ...environment },
      });
      child = started;
      started.once("exit", () => {
        if (child === started) hasCrashed = true;
      });
      started.on("message", (message) => {
        if (message !== "ready") return published(message as BusRecord[]);
        isReady = child === started;
        give(log());
      });
    },
    kill: async () => {
      const ended = child;
      child = undefined;
      isReady = false;
      if (ended === undefined) return;
      const gone = new Promise((resolve) => ended.once("exit", resolve));
      ended.kill("SIGKILL");
      await gone;
    },
  };
}
