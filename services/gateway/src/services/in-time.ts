import { Failure } from "@pay/failures";

/** The answers until the bound; undefined where a service did not answer in time, or refused. */
export async function settleInTime<T>(
  boundMs: number,
  calls: readonly Promise<T>[],
): Promise<(T | undefined)[]> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), boundMs);
  });
  try {
    return await Promise.all(calls.map((call) => Promise.race([settle(call), bound])));
  } finally {
    clearTimeout(timer);
  }
}

/** A wrong cursor is the fault of the request. */
async function settle<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Failure && error.errorCode !== "cursor_unknown") return undefined;
    throw error;
  }
}
