import { useEffect, useState } from "preact/hooks";
import { useSay } from "../words.ts";

const SHOWN_MS = 2_000;

interface Props {
  name: string;
  shown: string;
  /** Where it differs from what is shown. */
  copied?: string;
  isCode?: boolean;
}

export function CopyRow({ name, shown, copied = shown, isCode = false }: Props) {
  const say = useSay();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(copied);
      setDone(true);
    } catch {
      // The text is selectable; where copying is forbidden, people copy it by hand.
    }
  }

  return (
    <div class="row">
      <dt>{name}</dt>
      <dd>
        {isCode ? <code dir="ltr">{shown}</code> : <bdi>{shown}</bdi>}
        <button
          type="button"
          class="button"
          aria-label={say("copyName", { name })}
          onClick={() => void copy()}
        >
          <span role="status">{say(done ? "copied" : "copy")}</span>
        </button>
      </dd>
    </div>
  );
}
