const SENDER = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,189}$/;
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

export interface SmtpSettings {
  host: string;
  port: number;
  /** tls from the first byte, starttls always, or none, which only a server on the same machine may have. */
  security: "tls" | "starttls" | "none";
  login: { user: string; pass: string } | undefined;
  from: string;
}

/** Undefined where the text is no address of a mail server with a sender. */
export function parseSmtpUrl(text: string): SmtpSettings | undefined {
  const url = URL.parse(text);
  const port = PORTS[url?.protocol ?? ""];
  if (url === null || port === undefined || !/^\/?$/.test(url.pathname) || url.hash !== "")
    return undefined;
  const { from, ...others } = Object.fromEntries(url.searchParams);
  if (from === undefined || !SENDER.test(from) || Object.keys(others).length > 0) return undefined;
  const user = decode(url.username);
  const pass = decode(url.password);
  if (user === undefined || pass === undefined || url.hostname === "") return undefined;
  if ((user === "") !== (pass === "")) return undefined;
  const plain = LOCAL.includes(url.hostname) ? "none" : "starttls";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? port : Number(url.port),
    security: url.protocol === "smtps:" ? "tls" : plain,
    login: user === "" ? undefined : { user, pass },
    from,
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
