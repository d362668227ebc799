// Deprecated parts of the interface: since when they are deprecated, and until when they are served at least.

/** In seconds (RFC 9745): the day of the version of the interface that made the primary shape the current one. */
const DEPRECATED_SINCE = `@${Date.UTC(2026, 10, 21) / 1_000}`;
/** RFC 8594. A year's notice at least; it is not removed before. */
const SERVED_UNTIL = new Date(Date.UTC(2027, 10, 21)).toUTCString();

export function noteDeprecated(reply: (name: string, value: string) => void): void {
  reply("Deprecation", DEPRECATED_SINCE);
  reply("Sunset", SERVED_UNTIL);
}
