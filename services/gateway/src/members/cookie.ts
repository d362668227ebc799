// The cookie of a sign-in, and which requests may use it. On plain http it has the port in its name, because cookies
// of one host are shared by all its ports.
import type { IncomingHttpHeaders } from "node:http";
import { type GatewayConfig, requiresHttps } from "../config.ts";

/** Where members reach the dashboard, and how their browsers keep the sign-in. */
export interface DashboardSite {
  /** Scheme, host and port. Undefined where the installation does not say. */
  origin: string | undefined;
  cookie: string;
  isSecure: boolean;
  /** Whether the installation has a dashboard at all. */
  isOn: boolean;
  /** Host and port, where the dashboard has its own: at no other it is there. */
  ownHost: string | undefined;
}

/** The address that the setting DASHBOARD names, where it names one. */
export function findOwnUrl(setting: string | undefined): string | undefined {
  return setting?.startsWith("http") ? setting : undefined;
}

/** Browsers refuse a bare address as the name that a passkey belongs to. */
export function toDashboardOrigin(address: string): string {
  const url = new URL(address);
  if (url.hostname === "127.0.0.1") url.hostname = "localhost";
  return url.origin;
}

export function createDashboardSite(
  config: Pick<GatewayConfig, "PUBLIC_URL" | "REQUIRE_HTTPS" | "DASHBOARD">,
): DashboardSite {
  const { DASHBOARD } = config;
  const ownUrl = findOwnUrl(DASHBOARD);
  const url = ownUrl ?? config.PUBLIC_URL;
  const isSecure = url?.startsWith("https:") ?? requiresHttps(config);
  const origin = url === undefined ? undefined : toDashboardOrigin(url);
  const port = origin === undefined ? "" : new URL(origin).port || "80";
  const cookie = isSecure ? "__Host-pay" : `pay_${port}`;
  const ownHost = ownUrl === undefined ? undefined : new URL(ownUrl).host;
  return { origin, isSecure, cookie, isOn: DASHBOARD !== "off", ownHost };
}

/** Undefined also where the cookie comes twice: nobody knows which of them is meant. */
export function readCookie(
  headers: IncomingHttpHeaders,
  { cookie: name }: DashboardSite,
): string | undefined {
  const { cookie = "" } = headers;
  const found = cookie
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
}

/** Browsers say where a request comes from; one that does not say so is treated as coming from elsewhere. */
export function isSameOrigin(headers: IncomingHttpHeaders, dashboard: DashboardSite): boolean {
  const site = headers["sec-fetch-site"];
  const { origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && origin === dashboard.origin;
}

export function formatCookie(
  { cookie, isSecure }: DashboardSite,
  token: string,
  maxAgeSeconds: number,
): string {
  const parts = [`${cookie}=${token}`, "Path=/", "HttpOnly", "SameSite=Lax"];
  return [...parts, `Max-Age=${maxAgeSeconds}`, ...(isSecure ? ["Secure"] : [])].join("; ");
}
