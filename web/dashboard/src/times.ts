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

export function formatDate(at: string): string {
  return DATE.format(new Date(at));
}

export function formatUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function getZoneName(): string {
  const part = ZONE.formatToParts(new Date()).find(({ type }) => type === "timeZoneName");
  return part?.value ?? "UTC";
}
