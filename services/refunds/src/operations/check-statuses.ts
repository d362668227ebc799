import { Failure } from "@pay/failures";

export function checkStatuses(statuses: readonly string[], known: readonly string[]): void {
  if (statuses.every((status) => known.includes(status))) return;
  throw new Failure("field_invalid", `status must be one of ${known.join(", ")}`);
}
