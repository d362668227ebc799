// One list of all that waits, in the order of time, made of the lists of the services.
import { settleInTime } from "../services/in-time.ts";
import type { Services } from "../services/services.ts";
import type { Need } from "./need.ts";
import type { Listed, Source, SourceName } from "./sources.ts";
import type { NeedState } from "./states.ts";
import { UNTOUCHED } from "./states.ts";

const BOUND_MS = 1_000;
/** Pages that are read of each service for one answer. */
const ROUNDS_MAX = 5;

/** The last record of each service that was listed; null where it has no more. */
export type Position = { readonly [name in SourceName]?: string | null };

export interface ShownNeed extends Need {
  state: NeedState;
}

interface Stream {
  source: Source;
  rows: Listed[];
  after: string | null;
  /** The service has no more than these rows. */
  isEnd: boolean;
  isMissing: boolean;
}

export interface NeedQuery {
  services: Services;
  sources: readonly Source[];
  position: Position;
  limit: number;
  isWanted(need: ShownNeed): boolean;
  findStates(needs: readonly Need[]): Promise<Map<string, NeedState>>;
}

async function refill(streams: readonly Stream[], services: Services): Promise<void> {
  const empty = streams.filter(
    ({ rows, isEnd, isMissing }) => rows.length === 0 && !isEnd && !isMissing,
  );
  const pages = await settleInTime(
    BOUND_MS,
    empty.map(({ source, after }) => source.list(services, after ?? "")),
  );
  for (const [at, stream] of empty.entries()) {
    const page = pages[at];
    Object.assign(stream, page === undefined ? { isMissing: true } : page);
  }
}

function isOpen({ rows, isEnd, isMissing }: Stream): boolean {
  return rows.length > 0 || (!isEnd && !isMissing);
}

/** The stream whose next row is the newest. A row that does not wait goes first, because its time is not known. */
function findNewest(streams: readonly Stream[]): Stream | undefined {
  const time = ({ rows: [row] }: Stream) => row?.need?.at.getTime() ?? Number.POSITIVE_INFINITY;
  return streams
    .filter(({ rows }) => rows.length > 0)
    .reduce<Stream | undefined>(
      (newest, stream) => (newest === undefined || time(stream) > time(newest) ? stream : newest),
      undefined,
    );
}

/** A service that did not answer in time is named, and asked again from the same place by the next page. */
export async function listNeeds({
  services,
  sources,
  position,
  limit,
  isWanted,
  findStates,
}: NeedQuery): Promise<{
  needs: ShownNeed[];
  incomplete: SourceName[];
  next: Position | undefined;
}> {
  const streams: Stream[] = sources.map((source) => {
    const after = position[source.name];
    return { source, rows: [], after: after ?? "", isEnd: after === null, isMissing: false };
  });
  const needs: ShownNeed[] = [];
  for (let round = 0; round < ROUNDS_MAX && needs.length < limit && streams.some(isOpen); round++) {
    await refill(streams, services);
    const listed = streams.flatMap(({ rows }) => rows.flatMap(({ need }) => need ?? []));
    const states = await findStates(listed);
    // A service that has more rows than these may have one that is newer than all others.
    while (needs.length < limit && !streams.some((one) => isOpen(one) && one.rows.length === 0)) {
      const stream = findNewest(streams);
      const row = stream?.rows.shift();
      if (stream === undefined || row === undefined) break;
      stream.after = row.id;
      if (row.need === undefined) continue;
      const need = { ...row.need, state: states.get(row.id) ?? UNTOUCHED };
      if (isWanted(need)) needs.push(need);
    }
  }
  return {
    needs,
    incomplete: streams.flatMap(({ source, isMissing }) => (isMissing ? [source.name] : [])),
    next: streams.some(isOpen) ? toPosition(streams) : undefined,
  };
}

function toPosition(streams: readonly Stream[]): Position {
  return Object.fromEntries(
    streams.map((stream) => [
      stream.source.name,
      isOpen(stream) || stream.isMissing ? stream.after : null,
    ]),
  );
}
