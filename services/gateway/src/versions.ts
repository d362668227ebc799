// Versions of the interface, each by the day it was published. A change that only adds makes no new version; one that
// takes away or changes a meaning does, and what came before goes on being served beside it.
import { Failure } from "@pay/rpc";

/** Oldest first. */
export const VERSIONS: readonly [string, ...string[]] = ["2026-11-21"];

/** The version new projects are pinned to. */
export const NEWEST_VERSION = VERSIONS.at(-1) as string;

export const VERSION_HEADER = "X-Service-Version";

/** The version a request is served in: the one it names, else the one its project was created with. */
export const versionServed = (named: string | undefined, pinned: string): string => {
  if (named === undefined) return knownVersion(pinned);
  if (VERSIONS.includes(named)) return named;
  throw new Failure("invalid_argument", `${VERSION_HEADER} must be one of ${VERSIONS.join(", ")}`);
};

/** A project may have been created by a newer build; it gets the newest version this one knows. */
const knownVersion = (pinned: string): string =>
  VERSIONS.findLast((version) => version <= pinned) ?? VERSIONS[0];
