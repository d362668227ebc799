// Splits a period into whole days, whole hours and the rest of an hour at each end. Hours of two days are two pieces,
// because a day may not have kept its hours.

const LENGTH_MS = { day: 86_400_000, hour: 3_600_000 } as const;

export type Grain = keyof typeof LENGTH_MS;

export interface Piece {
  /** Absent: rows are counted one by one. */
  grain?: Grain;
  /** Inclusive; absent: without a beginning. */
  from: Date | undefined;
  /** Exclusive; absent: without an end. */
  before: Date | undefined;
}

const COARSEST_FIRST: readonly Grain[] = ["day", "hour"];

export function splitPeriod(
  from: Date | undefined,
  before: Date | undefined,
  [grain, ...finer]: readonly Grain[] = COARSEST_FIRST,
): Piece[] {
  if (from && before && from >= before) return [];
  if (grain === undefined) return [{ from, before }];
  const first = from && aligned(from, grain, Math.ceil);
  const last = before && aligned(before, grain, Math.floor);
  if (first && last && first > last) return splitPeriod(from, before, finer);
  return [
    ...(first === undefined ? [] : splitPeriod(from, first, finer)),
    ...(first && last && first >= last ? [] : [{ grain, from: first, before: last }]),
    ...(last === undefined ? [] : splitPeriod(last, before, finer)),
  ];
}

function aligned(time: Date, grain: Grain, round: (units: number) => number): Date {
  return new Date(round(time.getTime() / LENGTH_MS[grain]) * LENGTH_MS[grain]);
}
