import { formatUtc, formatWhen } from "../times.ts";

/** The member's zone, with UTC on hover. */
export function Time({ at, format = formatWhen }: { at: string; format?: (at: string) => string }) {
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {format(at)}
    </time>
  );
}
