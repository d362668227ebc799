// A link that opens this payment once in another browser: of a wallet's app, or of the shopper's phone.
import { useEffect, useState } from "preact/hooks";

/** A little less than the link works: a tap on one that has just ended would lead to a refusal. */
const SHOWN_MS = 110_000;

/** Makes the link; undefined where there is none now. */
export type OnHandOff = () => Promise<string | undefined>;

export function useHandOff(onHandOff: OnHandOff) {
  const [link, setLink] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [hasFailed, setFailed] = useState(false);

  async function make(): Promise<void> {
    setBusy(true);
    const made = await onHandOff();
    setBusy(false);
    setFailed(made === undefined);
    setLink(made && new URL(made, location.href).href);
  }

  useEffect(() => {
    if (link === undefined) return;
    const timer = setTimeout(() => setLink(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [link]);

  return { link, isBusy, hasFailed, make, forget: () => setLink(undefined) };
}
