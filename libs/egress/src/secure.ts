// TLS to receivers. A session is kept for the next connection to the same host and port, because a whole handshake
// costs as much as twenty requests, and a connection lives for a minute only. On a session the certificate is not
// judged again, so none is kept for long.
import { isIP, type Socket } from "node:net";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { EgressFault } from "./faults.ts";

const SESSIONS_MAX = 2_000;
const SESSION_AGE_MAX_MS = 600_000;

interface Session {
  bytes: Buffer;
  /** Monotonic time of the handshake that judged the certificate. */
  judgedAt: number;
}

export function createSecurer(
  ca: string | undefined,
): (tcp: Socket, to: { host: string; hostname: string }) => Promise<TLSSocket> {
  // One for all connections: making it costs more than half a handshake.
  const secureContext = createSecureContext({
    minVersion: "TLSv1.2",
    ...(ca !== undefined && { ca }),
  });
  const sessions = new Map<string, Session>();

  function getSession(host: string): Session | undefined {
    const session = sessions.get(host);
    if (session === undefined || performance.now() - session.judgedAt < SESSION_AGE_MAX_MS) {
      return session;
    }
    sessions.delete(host);
    return undefined;
  }

  function keep(host: string, session: Session) {
    sessions.delete(host);
    sessions.set(host, session);
    for (const oldest of sessions.keys()) {
      if (sessions.size <= SESSIONS_MAX) break;
      sessions.delete(oldest);
    }
  }

  return (tcp, { host, hostname }) =>
    new Promise((resolve, reject) => {
      const known = getSession(host);
      const secure = connect({
        socket: tcp,
        host: hostname,
        secureContext,
        ALPNProtocols: ["http/1.1"],
        ...(isIP(hostname) === 0 && { servername: hostname }),
        ...(known !== undefined && { session: known.bytes }),
      });
      const openedAt = performance.now();
      let isTrusted = false;
      let latest: Buffer | undefined;
      // A session may be there before its certificate is judged, and is worth nothing until then.
      function keepTrusted() {
        if (!isTrusted || latest === undefined) return;
        const judgedAt = secure.isSessionReused() ? known?.judgedAt : undefined;
        keep(host, { bytes: latest, judgedAt: judgedAt ?? openedAt });
      }

      secure.on("session", (bytes) => {
        latest = bytes;
        keepTrusted();
      });
      secure.once("secureConnect", () => {
        isTrusted = true;
        keepTrusted();
        resolve(secure);
      });
      // They are not removed: an error that comes before the next listener must not be fatal.
      secure.on("error", reject);
      secure.once("close", () => reject(new EgressFault("connection_reset")));
    });
}
