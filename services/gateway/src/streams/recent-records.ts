// The records that arrived last. A request reads its payment before its stream begins; what arrived between the two is
// found here.
import type { BusRecord } from "@pay/events";

type Kept = Pick<BusRecord, "key" | "payload">;

export interface RecentRecords {
  note(record: Kept): void;
  /** Payloads of a key that arrived at or after a time; undefined where some of them may be gone already. */
  since(ms: number, key: string): Uint8Array[] | undefined;
}

export function createRecentRecords(recordsMax: number): RecentRecords {
  const kept: { atMs: number; key: string; payload: Uint8Array }[] = [];
  let goneUntilMs = Number.NEGATIVE_INFINITY;
  return {
    note: ({ key, payload }) => {
      kept.push({ atMs: performance.now(), key, payload });
      if (kept.length > recordsMax) goneUntilMs = kept.shift()?.atMs ?? goneUntilMs;
    },
    since: (ms, key) => {
      if (goneUntilMs >= ms) return undefined;
      const wanted = kept.filter((record) => record.atMs >= ms && record.key === key);
      return wanted.map(({ payload }) => payload);
    },
  };
}
