// Times as a person reads them, in the zone of the browser or in UTC.

const FORMATS = {
  time: { hour: "2-digit", minute: "2-digit" },
  exact: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { day: "numeric", month: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
  year: { year: "numeric" },
  zone: { timeZoneName: "short" },
  utcDay: { day: "numeric", month: "short", timeZone: "UTC" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

const made = new Map<string, Intl.DateTimeFormat>();
let zone: "UTC" | undefined;

/** The browser's own where none is named. */
export function setZone(named: "UTC" | undefined): void {
  zone = named;
  made.clear();
}

/** Made when it is needed: a browser takes milliseconds for each. */
function getFormat(name: keyof typeof FORMATS): Intl.DateTimeFormat {
  const known = made.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...FORMATS[name] });
  made.set(name, format);
  return format;
}

export function formatTime(at: string): string {
  return getFormat("time").format(new Date(at));
}

export function formatExact(at: string): string {
  return getFormat("exact").format(new Date(at));
}

export function isSameDay(one: Date, other: Date): boolean {
  return getFormat("date").format(one) === getFormat("date").format(other);
}

/** With its year where it is not this one. */
function formatDayBefore(date: Date, now: Date): string {
  const isThisYear = getFormat("year").format(date) === getFormat("year").format(now);
  return getFormat(isThisYear ? "day" : "date").format(date);
}

/** Today the time alone; before, the day too. */
export function formatWhen(at: string, now = new Date()): string {
  const date = new Date(at);
  const time = getFormat("time").format(date);
  return isSameDay(date, now) ? time : `${formatDayBefore(date, now)}, ${time}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago today; before, the day. */
export function formatAge(at: string, now = new Date()): string {
  const date = new Date(at);
  const ageMs = now.getTime() - date.getTime();
  if (ageMs < MINUTE_MS) return "Now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min`;
  if (isSameDay(date, now)) return `${Math.floor(ageMs / HOUR_MS)} h`;
  if (isSameDay(date, new Date(now.getTime() - DAY_MS))) return "Yesterday";
  return formatDayBefore(date, now);
}

/** A day of the calendar, e.g. 2026-01-31. */
export function formatDay(day: string): string {
  return getFormat("utcDay").format(new Date(day));
}

export function formatDate(at: string): string {
  return getFormat("date").format(new Date(at));
}

export function formatUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** As a field for a time has it. */
export function toTimeField(at: Date): string {
  const offsetMs = zone === "UTC" ? 0 : at.getTimezoneOffset() * MINUTE_MS;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, 16);
}

export function readTimeField(text: string): string {
  return new Date(zone === "UTC" ? `${text}Z` : text).toISOString();
}

/** By the hour of the browser. */
export function greet(now = new Date()): string {
  const hour = now.getHours();
  if (hour < 5 || hour >= 18) return "Good evening";
  return hour < 12 ? "Good morning" : "Good afternoon";
}

export function getZoneName(): string {
  const part = getFormat("zone")
    .formatToParts(new Date())
    .find(({ type }) => type === "timeZoneName");
  return part?.value ?? "UTC";
}
