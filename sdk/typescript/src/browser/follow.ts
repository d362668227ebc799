// Follows the payment. The server streams each change; the page also polls, slowly beside a stream and often without
// one. A hidden page has no connection until it is visible again.
import type { Look, Server, Status } from "./server.ts";

const OPEN_MS = 2_000;
/** Between two polls beside a stream that has delivered. */
const STREAMED_MS = 10_000;
const ENDED_MS = 30_000;
const AWAY_MIN_MS = 1_000;
const AWAY_MAX_MS = 30_000;
const ENDED: readonly Status["status"][] = ["confirmed", "refunded"];

export interface Follower {
  /** Polls now, e.g. after a hash was submitted. */
  refresh(): Promise<void>;
  stop(): void;
}

export function follow(server: Server, onLook: (look: Look) => void): Follower {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awayMs = AWAY_MIN_MS;
  let ended = false;
  let looking = false;
  let stopped = false;
  let stream: AbortController | undefined;
  let isStreamed = false;
  let streamNotBeforeMs = 0;
  let streamPauseMs = AWAY_MIN_MS;

  function pauseAfter(look: Look): number {
    if (look.kind === "offline") {
      awayMs = Math.min(awayMs * 2, AWAY_MAX_MS);
      return awayMs;
    }
    awayMs = AWAY_MIN_MS;
    if (look.kind === "busy") return look.waitMs;
    if (look.kind === "seen") ended = ENDED.includes(look.status.status);
    if (ended) return ENDED_MS;
    return isStreamed ? STREAMED_MS : OPEN_MS;
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
    timer = setTimeout(lookIfVisible, pauseAfter(seen));
    if (seen.kind === "seen" || seen.kind === "unchanged") void listen();
  }

  async function listen(): Promise<void> {
    const isLater = Date.now() >= streamNotBeforeMs;
    if (stream !== undefined || ended || !isLater || document.visibilityState !== "visible") return;
    const own = new AbortController();
    stream = own;
    function onSeen(status: Status): void {
      if (stopped || stream !== own) return;
      isStreamed = true;
      streamPauseMs = AWAY_MIN_MS;
      ended = ENDED.includes(status.status);
      onLook({ kind: "seen", status });
    }

    await server.listen(onSeen, own.signal).catch(() => {});
    if (stream !== own) return;
    closeStream();
    streamNotBeforeMs = Date.now() + streamPauseMs;
    streamPauseMs = Math.min(streamPauseMs * 2, AWAY_MAX_MS);
    void look();
  }

  function closeStream(): void {
    stream?.abort();
    stream = undefined;
    isStreamed = false;
  }

  function lookIfVisible(): void {
    if (document.visibilityState === "visible") void look();
    else closeStream();
  }

  document.addEventListener("visibilitychange", lookIfVisible);
  window.addEventListener("online", lookIfVisible);
  void look();
  return {
    refresh: look,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      closeStream();
      document.removeEventListener("visibilitychange", lookIfVisible);
      window.removeEventListener("online", lookIfVisible);
    },
  };
}
