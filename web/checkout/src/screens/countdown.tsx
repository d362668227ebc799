import type { Status } from "@pay/sdk/browser";
import { useEffect, useState } from "preact/hooks";
import { useTimeLeft } from "../time-left.ts";
import { useSay } from "../words.ts";

const MINUTE_MS = 60_000;
/** Earlier, a clock only makes people nervous. */
const SHOWN_BELOW_MINUTES = 10;
const ANNOUNCED = [5, 1];

export function Countdown({
  status,
  onMoreTime,
}: {
  status: Pick<Status, "expiresAt" | "serverTime" | "extensionsLeft">;
  onMoreTime: () => Promise<void>;
}) {
  const say = useSay();
  const { extensionsLeft } = status;
  // A shopper who has asked for more time sees what became of it, and the button keeps the focus.
  const [hasAsked, setHasAsked] = useState(false);
  const [announced, setAnnounced] = useState("");

  async function ask(): Promise<void> {
    await onMoreTime();
    setHasAsked(true);
  }

  const minutes = Math.max(0, Math.ceil(useTimeLeft(status) / MINUTE_MS));
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
          <button type="button" class="button" onClick={() => void ask()}>
            {say("moreTime")}
          </button>
        )}
      </p>
      <p class="hidden-text" role="status">
        {ANNOUNCED.includes(minutes) ? sentence : announced}
      </p>
    </>
  );
}
