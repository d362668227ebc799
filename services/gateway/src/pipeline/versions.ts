import { Failure } from "@pay/failures";

// Versions of the interface, each by the day it was published. A change that only adds makes no new version; one that
// removes or changes a meaning makes one, and the versions before it are still served.
/** Oldest first. */
export const VERSIONS: readonly [string, ...string[]] = ["2026-11-21"];

/** The version new projects are pinned to. */
export const NEWEST_VERSION = VERSIONS.at(-1) as string;

export const VERSION_HEADER = "X-Service-Version";

/** The version a request is served in: the one it names, else the one its project was created with. */
export function versionServed(named: string | undefined, pinned: string): string {
  if (named === undefined) return knownVersion(pinned);
  if (VERSIONS.includes(named)) return named;
  throw new Failure("version_unknown", `${VERSION_HEADER} must be one of ${VERSIONS.join(", ")}`);
}

/** A project may have been created by a newer build; it gets the newest version this one knows. */
function knownVersion(pinned: string): string {
  return VERSIONS.findLast((version) => version <= pinned) ?? VERSIONS[0];
}

// Deprecated parts of the interface: since when they are deprecated, and until when they are served at least.

/** In seconds (RFC 9745): the day of the version of the interface that made the primary shape the current one. */
const DEPRECATED_SINCE = `@${Date.UTC(2026, 10, 21) / 1_000}`;

/** The day is that of RFC 8594: it is not removed before. */
export function noteDeprecated(
  reply: (name: string, value: string) => void,
  sunset: string | undefined,
): void {
  reply("Deprecation", DEPRECATED_SINCE);
  if (sunset !== undefined) reply("Sunset", new Date(sunset).toUTCString());
}
