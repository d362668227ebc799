// The sign-in page. It shows the ways that the server offers, and goes on to the page that was asked for.
import { type AssertionOptions, signChallenge } from "./passkey.ts";

const CALL_MS = 15_000;
const parameters = new URLSearchParams(location.search);

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

/** Only an address of the dashboard, so that a link cannot lead elsewhere after the sign-in. */
function nextAddress(): string {
  const next = parameters.get("next") ?? "";
  return /^\/dashboard(?:[/?]|$)/.test(next) ? next : "/dashboard";
}

function showFault(text: string): void {
  const fault = find("fault");
  fault.textContent = text;
  fault.hidden = false;
}

async function send(path: string, body: object): Promise<Response> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_MS),
  });
  if (response.ok) return response;
  const { message } = (await response.json()) as { message?: string };
  throw new Error(message ?? `The service answered ${response.status}.`);
}

async function signInByPasskey(): Promise<void> {
  try {
    const options = await send("/dashboard/sign-in/options", {});
    const signed = await signChallenge((await options.json()) as AssertionOptions);
    await send("/dashboard/sign-in", signed);
    location.assign(nextAddress());
  } catch (error) {
    showFault((error as Error).message);
  }
}

async function recover(form: HTMLFormElement): Promise<void> {
  try {
    await send("/dashboard/recovery", Object.fromEntries(new FormData(form)));
    location.assign("/dashboard");
  } catch (error) {
    showFault((error as Error).message);
  }
}

/** What went wrong on the way to the identity provider and back. */
const FAULTS: Record<string, string> = {
  oidc_invalid: "The sign-in was not finished, or took too long. Try again.",
  oidc_unverified: "The provider has not verified your e-mail address.",
  oidc_unknown: "This account is no member's. An owner of the project can invite you.",
  oidc_unavailable: "The provider does not answer. Try again in a moment.",
};

/** A confirmation is made in a window of its own, which the page that wanted it waits for. */
function tellConfirmed(): void {
  new BroadcastChannel("dashboard-confirmed").postMessage("confirmed");
  find("title").textContent = "Confirmed";
  find("about").textContent = "You can close this window.";
  find("links").hidden = true;
  window.close();
}

interface Methods {
  passkey: boolean;
  oidc: string | null;
}

async function readMethods(): Promise<{ signedIn: boolean; methods: Methods }> {
  const signal = AbortSignal.timeout(CALL_MS);
  const response = await fetch("/dashboard/sign-in/methods", { signal });
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return response.json();
}

find("host").textContent = location.host;
find("passkey").addEventListener("click", () => void signInByPasskey());
find("recover").addEventListener("submit", (event) => {
  event.preventDefault();
  void recover(event.currentTarget as HTMLFormElement);
});

async function showMethods(): Promise<void> {
  const fault = parameters.get("fault");
  const isConfirmation = parameters.has("confirm");
  const { signedIn, methods } = await readMethods();
  if (signedIn && fault === null) location.replace(nextAddress());
  find("passkey").hidden = !methods.passkey || isConfirmation;
  find("recovery").hidden = !methods.passkey || isConfirmation;
  const oidc = find("oidc") as HTMLAnchorElement;
  oidc.hidden = methods.oidc === null;
  oidc.textContent = `Continue with ${methods.oidc}`;
  oidc.href = isConfirmation
    ? "/dashboard/confirm/oidc"
    : `/dashboard/sign-in/oidc?next=${encodeURIComponent(nextAddress())}`;
  if (fault !== null) showFault(FAULTS[fault] ?? "The sign-in failed. Try again.");
}

if (parameters.has("confirmed")) {
  tellConfirmed();
} else {
  await showMethods().catch(() =>
    showFault("The service cannot be reached. Try again in a moment."),
  );
}
