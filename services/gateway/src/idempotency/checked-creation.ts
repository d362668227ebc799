// Creations that the gateway checks against what may be different tomorrow: settings, catalogs, other records.
import { isFailureKind } from "@pay/failures";

export interface CheckedCreation<Answer> {
  /** Whether it has a key under which it may be sent again. */
  isRepeatable: boolean;
  check(): Promise<void> | void;
  /** With `replayOnly` it creates nothing, and is not found where it was not created before. */
  create(replayOnly: boolean): Promise<Answer>;
}

/** A repeated request gets its first answer, even where it would be refused today. */
export async function createChecked<Answer>({
  isRepeatable,
  check,
  create,
}: CheckedCreation<Answer>): Promise<Answer> {
  try {
    await check();
  } catch (refusal) {
    if (!isRepeatable) throw refusal;
    return create(true).catch((error: unknown) => {
      throw isFailureKind("not_found", error) ? refusal : error;
    });
  }
  return create(false);
}
