import { useEffect, useState } from "preact/hooks";
import { useSay } from "../speech.ts";

const MINUTE_MS = 60_000;
/** Earlier, a clock only makes people nervous. */
const SHOWN_BELOW_MINUTES = 10;
const ANNOUNCED = [5, 1];
const LOOK_MS = 5_000;

/** The time that is left by the server's clock; the clock of this device may be wrong. */
export function Countdown({ expiresAt, serverTime }: { expiresAt: string; serverTime: string }) {
  const say = useSay();
  const [readAt, setReadAt] = useState(() => performance.now());
  const [now, setNow] = useState(readAt);
  useEffect(() => setReadAt(performance.now()), [serverTime]);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);

  const leftMs = Date.parse(expiresAt) - Date.parse(serverTime) - Math.max(0, now - readAt);
  const minutes = Math.max(0, Math.ceil(leftMs / MINUTE_MS));
  if (minutes > SHOWN_BELOW_MINUTES) return null;
  const sentence = say("minutesLeft", { minutes });
  return (
    <>
      <p class="countdown">{sentence}</p>
      <p class="hidden" role="status">
        {ANNOUNCED.includes(minutes) ? sentence : ""}
      </p>
    </>
  );
}
