// Follows the events of the project while its pages are in sight, and reads again what they may have changed. A page in
// the background has no connection and requests nothing. Where there is no stream, what is shown is read now and then.
import type { QueryClient } from "@tanstack/react-query";
import { expectRows } from "./arrivals.ts";
import type { EventItem } from "./records.ts";
import { buildHeaders, callApi } from "./request.ts";
import { hasScope, type Workspace } from "./session.ts";
import { isChanging, isTouched } from "./touched.ts";

/** Between two reads; longer while events go on, so that a busy shop is not slowed by who looks on. */
const PAUSE_MS = { min: 750, max: 15_000 };
const PAUSE_GROWTH = 1.5;
/** The attempts of a delivery follow their event. */
const DELIVERED_MS = 2_000;
/** The service sends something each 15 seconds. */
const SILENCE_MAX_MS = 40_000;
const AGAIN_MS = { ended: 2_000, refused: 15_000 };
/** Events that may have happened while the page was being read. */
const RECENT = { events: 10, ms: 10_000 };

/** Ends all that it has begun with the returned call. */
export function followProject(workspace: Workspace, client: QueryClient): () => void {
  const refresh = createRefresh(workspace, client);
  let following: AbortController | undefined;
  function turn() {
    following?.abort();
    refresh.stop();
    if (document.visibilityState === "hidden") return;
    expectRows();
    following = new AbortController();
    void follow(workspace, refresh, following.signal);
  }

  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    document.removeEventListener("visibilitychange", turn);
    following?.abort();
    refresh.stop();
  };
}

type Refresh = ReturnType<typeof createRefresh>;

function createRefresh({ membership: { projectId }, mode }: Workspace, client: QueryClient) {
  let changed = new Set<string>();
  let isAll = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delivered: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let pauseMs = PAUSE_MS.min;

  function read(isWanted: (path: string) => boolean) {
    void client.invalidateQueries({
      predicate: ({ queryKey: [project, itsMode, path] }) =>
        project === projectId && itsMode === mode && isWanted(String(path)),
    });
  }

  function run() {
    timer = undefined;
    const now = performance.now();
    const goesOn = now - lastAt < 2 * pauseMs;
    pauseMs = goesOn ? Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MS.max) : PAUSE_MS.min;
    lastAt = now;
    const ids = changed;
    changed = new Set();
    if (isAll) read(isChanging);
    else read((path) => isTouched(path, ids));
    isAll = false;
    delivered ??= setTimeout(() => {
      delivered = undefined;
      read((path) => path.includes("/deliveries"));
    }, DELIVERED_MS);
  }

  function plan() {
    timer ??= setTimeout(run, Math.max(0, lastAt + pauseMs - performance.now()));
  }

  return {
    note: (resourceId: string) => {
      changed.add(resourceId);
      plan();
    },
    noteAll: () => {
      isAll = true;
      plan();
    },
    stop: () => {
      clearTimeout(timer);
      clearTimeout(delivered);
      timer = undefined;
      delivered = undefined;
    },
  };
}

async function follow(workspace: Workspace, refresh: Refresh, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    const began = hasScope(workspace, "webhooks:read");
    let isOpen = false;
    try {
      if (began) {
        last ??= await findStart(workspace, signal);
        isOpen = await readStream(workspace, last, signal, (event) => {
          last = event.id;
          refresh.note(event.resourceId);
        });
      }
    } catch {
      // The connection broke.
    }
    await pause(isOpen ? AGAIN_MS.ended : AGAIN_MS.refused, signal);
    if (!isOpen && !signal.aborted) {
      last = undefined;
      refresh.noteAll();
    }
  }
}

/** The event before those that are younger than the reads of the page; none in a project without events. */
async function findStart(workspace: Workspace, signal: AbortSignal): Promise<string> {
  const path = `/v1/events?order=newest&limit=${RECENT.events}`;
  const { body, headers } = await callApi<{ data: EventItem[] }>(workspace, path, { signal });
  const since = Date.parse(headers.get("Date") ?? "") - RECENT.ms;
  const before = body.data.find(({ occurredAt }) => Date.parse(occurredAt) < since);
  return (before ?? body.data.at(-1))?.id ?? "";
}

/** Whether there was a stream; it lasts until one side ends it or the service is silent. */
async function readStream(
  workspace: Workspace,
  after: string,
  signal: AbortSignal,
  onEvent: (event: Omit<EventItem, "body">) => void,
): Promise<boolean> {
  const query = new URLSearchParams({ bodies: "false", ...(after !== "" && { after }) });
  const headers = { ...buildHeaders(workspace), Accept: "text/event-stream" };
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener("abort", end);
  let silence = setTimeout(end, SILENCE_MAX_MS);
  try {
    const response = await fetch(`/v1/events/stream?${query}`, {
      headers,
      signal: connection.signal,
    });
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
    if (!response.ok || !isStream || response.body === null) return false;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) return true;
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MAX_MS);
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data: ")) onEvent(JSON.parse(line.slice("data: ".length)));
      }
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
  }
}

/** Not all at once after a restart of the service. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms * (0.5 + Math.random()));
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
