/** A permitted change of a record's status. */
export interface Move<Status extends string> {
  from: readonly Status[];
  to: Status;
  event: string;
}

/** The status after the move, or undefined where the record may not make it. */
export function statusAfter<Status extends string>(
  status: Status,
  { from, to }: Move<Status>,
): Status | undefined {
  return from.includes(status) ? to : undefined;
}
