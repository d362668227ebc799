// A part of a benchmark in a process of its own, so that its CPU is not the publisher's: asked one thing at a time.
import { fork } from "node:child_process";

export interface Part {
  ask<A>(question: object | string): Promise<A>;
  stop(): Promise<void>;
  /** As a power cut does. */
  kill(): Promise<void>;
}

/** CPU since the process began, and the most memory that it ever held. */
export interface Usage {
  cpuMs: number;
  rssMb: number;
}

export function startPart(file: string, environment: NodeJS.ProcessEnv = {}): Part {
  const child = fork(file, { env: { ...process.env, ...environment } });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let last: Promise<unknown> = Promise.resolve();

  function askNow<A>(question: object | string): Promise<A> {
    return new Promise((resolve, reject) => {
      function end() {
        reject(new Error(`${file} has ended`));
      }

      child.once("exit", end);
      child.once("message", (answer) => {
        child.off("exit", end);
        resolve(answer as A);
      });
      child.send(question);
    });
  }

  return {
    ask: <A>(question: object | string) => {
      const answer = last.then(() => askNow<A>(question));
      last = answer.catch(() => {});
      return answer;
    },
    stop: () => {
      if (child.connected) child.disconnect();
      return exited;
    },
    kill: () => {
      child.kill("SIGKILL");
      return exited;
    },
  };
}

/** The other side: answers the first message with what `start` returns, "usage" with what the process used. */
export function servePart<O extends object>(start: (options: O) => Promise<object | undefined>) {
  process.on("message", async (message: O | "usage") => {
    process.send?.(message === "usage" ? usage() : ((await start(message)) ?? {}));
  });
  process.on("disconnect", () => process.exit());
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, rssMb: process.resourceUsage().maxRSS / 1_024 };
}
