// The sign-in page. It shows the ways that the server offers, and goes on to the page that was asked for.
import { type AssertionOptions, signChallenge } from "./passkey.ts";

const CALL_MS = 15_000;

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

/** Only an address of the dashboard, so that a link cannot lead elsewhere after the sign-in. */
function nextAddress(): string {
  const next = new URLSearchParams(location.search).get("next") ?? "";
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
try {
  const { signedIn, methods } = await readMethods();
  if (signedIn) location.replace(nextAddress());
  find("passkey").hidden = !methods.passkey;
  find("recovery").hidden = !methods.passkey;
  find("oidc").hidden = methods.oidc === null;
  find("oidc").textContent = `Continue with ${methods.oidc}`;
} catch {
  showFault("The service cannot be reached. Try again in a moment.");
}
