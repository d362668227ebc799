// Times as a person reads them, in the zone of the browser.

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const EXACT = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const ZONE = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

export function formatTime(at: string): string {
  return TIME.format(new Date(at));
}

export function formatExact(at: string): string {
  return EXACT.format(new Date(at));
}

/** Today the time alone; before, the day too. */
export function formatWhen(at: string, now = new Date()): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  const day = date.getFullYear() === now.getFullYear() ? DAY : DATE;
  return `${day.format(date)}, ${TIME.format(date)}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long ago today; before, the day. */
export function formatAge(at: string, now = new Date()): string {
  const date = new Date(at);
  const ageMs = now.getTime() - date.getTime();
  if (ageMs < MINUTE_MS) return "Now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min`;
  if (date.toDateString() === now.toDateString()) return `${Math.floor(ageMs / HOUR_MS)} h`;
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return (date.getFullYear() === now.getFullYear() ? DAY : DATE).format(date);
}

const UTC_DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** A day of the calendar, e.g. 2026-01-31. */
export function formatDay(day: string): string {
  return UTC_DAY.format(new Date(day));
}

export function formatDate(at: string): string {
  return DATE.format(new Date(at));
}

export function formatUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** By the hour of the browser. */
export function greet(now = new Date()): string {
  const hour = now.getHours();
  if (hour < 5 || hour >= 18) return "Good evening";
  return hour < 12 ? "Good morning" : "Good afternoon";
}

export function getZoneName(): string {
  const part = ZONE.formatToParts(new Date()).find(({ type }) => type === "timeZoneName");
  return part?.value ?? "UTC";
}
