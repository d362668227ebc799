// Requests about the member who is signed in, outside any project: sign-in, passkeys, account.
import { describeAgent } from "../agent.ts";
import type { AssertionOptions, CreationOptions } from "../passkey.ts";
import { PasskeyError } from "../passkey-error.ts";
import { ApiError, send } from "./send.ts";
import type { Session } from "./session.ts";

/** As long as the service waits. */
const CONFIRM_MS = 5 * 60_000;

interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: object | undefined;
}

/** A request about the member, outside any project. */
export async function callOwn<Body = unknown>(
  { csrfToken }: Pick<Session, "csrfToken">,
  path: string,
  { method = "POST", body }: Call = {},
): Promise<Body> {
  const headers = {
    "X-CSRF-Token": csrfToken,
    ...(body && { "Content-Type": "application/json" }),
  };
  return (await send<Body>(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }))
    .body;
}

/** Where the service wants it, the member confirms with a passkey, and the same request is sent once more. */
export async function withConfirmation<T>(session: Session, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isConfirmationRequired(error)) throw error;
    await confirm(session);
    return call();
  }
}

export function isConfirmationRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === "confirmation_required";
}

/** At the identity provider, in a window of its own, so that this page keeps what was typed. */
async function confirmElsewhere(): Promise<void> {
  const channel = new BroadcastChannel("dashboard-confirmed");
  try {
    const opened = window.open("/dashboard/confirm/oidc", "_blank", "popup,width=480,height=720");
    if (opened === null) {
      throw new PasskeyError(
        "The browser opened no window. Allow it for this page, then try again.",
      );
    }
    await new Promise<void>((resolve, reject) => {
      channel.onmessage = () => resolve();
      setTimeout(
        () => reject(new PasskeyError("It was not confirmed in time. Try again.")),
        CONFIRM_MS,
      );
    });
  } finally {
    channel.close();
  }
}

export async function confirm(session: Session): Promise<void> {
  if (!session.hasPasskey && session.methods.oidc !== null) return confirmElsewhere();
  if (!session.hasPasskey) {
    throw new PasskeyError("This needs a passkey. Add one in your account, then try again.");
  }
  const options = await callOwn<AssertionOptions>(session, "/dashboard/confirm/options");
  const { signChallenge } = await import("../passkey.ts");
  await callOwn(session, "/dashboard/confirm", { body: await signChallenge(options) });
}

/** A further passkey is confirmed with one that is there. */
export async function addPasskey(session: Session): Promise<void> {
  const options = await withConfirmation(session, () =>
    callOwn<CreationOptions>(session, "/dashboard/passkeys/options"),
  );
  const name = describeAgent(navigator.userAgent);
  const { createPasskey } = await import("../passkey.ts");
  const body = { ...(await createPasskey(options)), name };
  await callOwn(session, "/dashboard/passkeys", { body });
}

async function readSession(): Promise<Session> {
  return (await send<Session>("/dashboard/session", {})).body;
}

export const SESSION = { queryKey: ["session"], queryFn: readSession, staleTime: 60_000 };

/** Signs out, and shows the page to sign in. */
export async function leave(session: Session): Promise<void> {
  await callOwn(session, "/dashboard/sign-out");
  location.assign("/dashboard/sign-in");
}
