import { useChoice } from "../appearance.ts";
import { formatUtc, formatWhen } from "../times.ts";

/** In the zone that the member has chosen, with UTC on hover. */
export function Time({ at, format = formatWhen }: { at: string; format?: (at: string) => string }) {
  useChoice("zone");
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {format(at)}
    </time>
  );
}
