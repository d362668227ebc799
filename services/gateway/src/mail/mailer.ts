// Plain text to one person, by the operator's mail server. The certificate is verified. The log has the reason of a
// failure and nothing of the mail: addresses are personal data, and a text may have a link.
import type { Log } from "@pay/process";
import { createTransport } from "nodemailer";
import type { SmtpSettings } from "./smtp-url.ts";

/** More at a time wait for nothing: they count as failed. */
const UNDER_WAY_MAX = 20;

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Whether the mail server has taken it in time. Never throws. */
  send(mail: Mail): Promise<boolean>;
}

export function createMailer(
  { host, port, security, login, from }: SmtpSettings,
  { log, timeoutMs }: { log: Log; timeoutMs: number },
): Mailer {
  const transport = createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(login && { auth: login }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let underWay = 0;

  return {
    send: async ({ to, subject, text }) => {
      if (underWay >= UNDER_WAY_MAX) {
        log.warn({ reason: "too many at a time" }, "a mail was not sent");
        return false;
      }
      underWay++;
      try {
        await transport.sendMail({
          // As objects: a text would be read as a list of addresses.
          from: { name: "", address: from },
          to: { name: "", address: to },
          subject,
          text,
          signal: AbortSignal.timeout(timeoutMs),
        });
        return true;
      } catch (error) {
        const { code, name } = error as { code?: unknown; name: string };
        log.warn({ reason: typeof code === "string" ? code : name }, "a mail was not sent");
        return false;
      } finally {
        underWay--;
      }
    },
  };
}
