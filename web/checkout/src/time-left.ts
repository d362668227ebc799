import type { Status } from "@pay/sdk/browser";
import { useEffect, useState } from "preact/hooks";

const LOOK_MS = 5_000;

/** The time that is left by the server's clock; the clock of this device may be wrong. */
export function useTimeLeft(status: Pick<Status, "expiresAt" | "serverTime"> | undefined): number {
  const [readAt, setReadAt] = useState(() => performance.now());
  const [now, setNow] = useState(readAt);
  useEffect(() => setReadAt(performance.now()), [status?.serverTime]);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  if (status === undefined) return 0;
  const { expiresAt, serverTime } = status;
  return Date.parse(expiresAt) - Date.parse(serverTime) - Math.max(0, now - readAt);
}
