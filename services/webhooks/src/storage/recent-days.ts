// Deliveries are in partitions by the day of their event, and a statement plans and locks every partition that it may
// have to read. Nearly all that is under way is of today or yesterday, so the statements that run each second name a
// first day.
import type { Clock } from "@pay/process";

const TWO_DAYS_MS = 2 * 86_400_000;

/** One plan for all values would lock and read the partitions of all 30 days. */
export const PLANNING = { planCacheMode: "auto" } as const;

export const ALL_DAYS = new Date(0);

/** Today and yesterday, whatever the hour, and by a clock that is some hours away from the database's too. */
export function recentDays(clock: Clock): Date {
  return new Date(clock.now().getTime() - TWO_DAYS_MS);
}
