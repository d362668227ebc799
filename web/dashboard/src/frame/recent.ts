// What was opened from the search, newest first, until the tab is closed: names of customers must not outlive it.
import type { SearchItem } from "../api/records.ts";
import type { Workspace } from "../api/session.ts";

const KEPT_MAX = 8;

function getKey({ membership, mode }: Workspace): string {
  return `dashboard-recent ${membership.projectId} ${mode}`;
}

export function readRecent(workspace: Workspace): SearchItem[] {
  return JSON.parse(sessionStorage.getItem(getKey(workspace)) ?? "[]");
}

export function keepRecent(workspace: Workspace, item: SearchItem): void {
  const others = readRecent(workspace).filter(({ id }) => id !== item.id);
  const kept = [item, ...others].slice(0, KEPT_MAX);
  sessionStorage.setItem(getKey(workspace), JSON.stringify(kept));
}
