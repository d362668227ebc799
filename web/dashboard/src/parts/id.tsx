import { useState } from "react";
import { Icon } from "./icon.tsx";

const COPIED_MS = 1_500;

export function shortenId(text: string): string {
  return text.length > 16 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

/** Copies a text, and tells for a moment that it did. */
export function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false);
  function copy() {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), COPIED_MS);
    });
  }

  return { isCopied, copy };
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" className="copy" aria-label={`Copy ${label}`} title="Copy" onClick={copy}>
      <Icon name={isCopied ? "check" : "copy"} isSmall />
      <span className="hidden-text" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </button>
  );
}

/** An id, a hash or an address: short, whole on hover, copied by its button. */
export function Id({
  text,
  label,
  isWhole = false,
  href,
}: {
  text: string;
  label: string;
  isWhole?: boolean;
  href?: string | undefined;
}) {
  const shown = isWhole ? text : shortenId(text);
  return (
    <span className="id" title={text}>
      {href === undefined ? (
        shown
      ) : (
        <a href={href} target="_blank" rel="noreferrer">
          {shown}
        </a>
      )}
      <CopyButton text={text} label={label} />
    </span>
  );
}
