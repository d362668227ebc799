// Looks at the payment again and again: often while something is expected, seldom once it has ended, and with growing
// pauses while the server is away. A hidden page waits until it is visible again.
import type { Look, Server, Status } from "./status.ts";

const OPEN_MS = 2_000;
const ENDED_MS = 30_000;
const AWAY_MIN_MS = 1_000;
const AWAY_MAX_MS = 30_000;
const ENDED: readonly Status["status"][] = ["confirmed", "refunded"];

export interface Follower {
  /** Looks now, e.g. after a hash was submitted. */
  hurry(): void;
  stop(): void;
}

export function follow(server: Server, onLook: (look: Look) => void): Follower {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awayMs = AWAY_MIN_MS;
  let ended = false;
  let looking = false;
  let stopped = false;

  function pauseAfter(look: Look): number {
    if (look.kind === "offline") {
      awayMs = Math.min(awayMs * 2, AWAY_MAX_MS);
      return awayMs;
    }
    awayMs = AWAY_MIN_MS;
    if (look.kind === "busy") return look.waitMs;
    if (look.kind === "seen") ended = ENDED.includes(look.status.status);
    return ended ? ENDED_MS : OPEN_MS;
  }

  async function look(): Promise<void> {
    clearTimeout(timer);
    if (looking || stopped) return;
    looking = true;
    const seen = await server.look();
    looking = false;
    if (stopped) return;
    onLook(seen);
    if (seen.kind === "bad-link") return;
    timer = setTimeout(lookIfSeen, pauseAfter(seen));
  }

  function lookIfSeen(): void {
    if (document.visibilityState === "visible") void look();
  }

  document.addEventListener("visibilitychange", lookIfSeen);
  window.addEventListener("online", lookIfSeen);
  void look();
  return {
    hurry: () => void look(),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", lookIfSeen);
      window.removeEventListener("online", lookIfSeen);
    },
  };
}
