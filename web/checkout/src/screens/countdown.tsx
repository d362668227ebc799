import type { Status } from "@pay/sdk/browser";
import { useEffect, useState } from "preact/hooks";
import { useSay } from "../speech.ts";

const MINUTE_MS = 60_000;
/** Earlier, a clock only makes people nervous. */
const SHOWN_BELOW_MINUTES = 10;
const ANNOUNCED = [5, 1];
const LOOK_MS = 5_000;

/** The time that is left by the server's clock; the clock of this device may be wrong. */
export function Countdown({
  status: { expiresAt, serverTime, extensionsLeft },
  onMoreTime,
}: {
  status: Pick<Status, "expiresAt" | "serverTime" | "extensionsLeft">;
  onMoreTime: () => Promise<void>;
}) {
  const say = useSay();
  // A shopper who has asked for more time sees what became of it, and the button keeps the focus.
  const [hasAsked, setHasAsked] = useState(false);
  const [announced, setAnnounced] = useState("");
  const [readAt, setReadAt] = useState(() => performance.now());
  const [now, setNow] = useState(readAt);
  useEffect(() => setReadAt(performance.now()), [serverTime]);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);

  async function ask(): Promise<void> {
    await onMoreTime();
    setHasAsked(true);
  }

  const leftMs = Date.parse(expiresAt) - Date.parse(serverTime) - Math.max(0, now - readAt);
  const minutes = Math.max(0, Math.ceil(leftMs / MINUTE_MS));
  const sentence = say("minutesLeft", { minutes });
  useEffect(() => {
    if (hasAsked) setAnnounced(sentence);
  }, [hasAsked, extensionsLeft]);

  if (minutes > SHOWN_BELOW_MINUTES && !hasAsked) return null;
  return (
    <>
      <p class="countdown">
        <span>{sentence}</span>
        {extensionsLeft > 0 && (
          <button type="button" onClick={() => void ask()}>
            {say("moreTime")}
          </button>
        )}
      </p>
      <p class="hidden" role="status">
        {ANNOUNCED.includes(minutes) ? sentence : announced}
      </p>
    </>
  );
}
