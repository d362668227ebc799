// The one place for the deadlines of tests. The product's own deadlines are a few seconds, because a merchant waits for
// them. A machine that is busy with other work can need longer for a correct answer, and a test that asks for the
// answer, not for its time, must not fail then. Tests of a deadline set their own.

/** A bound on a wait whose length is not tested. */
export const PATIENCE_MS = 60_000;

type Call = (request: object, options?: object) => Promise<unknown>;

/** The client with this deadline for every call that names none. */
export function patient<C extends object>(client: C): C {
  const calls = Object.entries(client) as [string, Call][];
  const slower = calls.map(([name, call]): [string, Call] => [
    name,
    (request, options) => call(request, { timeoutMs: PATIENCE_MS, ...options }),
  ]);
  return Object.fromEntries(slower) as C;
}

/** A database's address with this time to connect, or to wait for a free connection. */
export function patientUrl(url: string): string {
  const other = new URL(url);
  other.searchParams.set("connect_timeout", `${PATIENCE_MS / 1_000}`);
  return other.href;
}

/** The gateway's variable with this time for its calls to other services. */
export const PATIENT_GATEWAY = { GATEWAY_CALL_TIMEOUT_MS: `${PATIENCE_MS / 2}` };
