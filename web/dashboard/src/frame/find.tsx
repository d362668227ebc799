import { lazy, Suspense, useEffect, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { isKeyFree } from "../parts/keys.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

/** The field at the top, ⌘K or Ctrl K, and / outside of fields. */
export function Find() {
  const [isOpen, setOpen] = useState(false);
  const isMac = navigator.platform.startsWith("Mac");
  useEffect(() => {
    function open(event: KeyboardEvent) {
      const isCommand = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k";
      const isSlash = event.key === "/" && isKeyFree(event);
      // Another dialog keeps what it asks.
      if (!(isCommand || isSlash) || document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      setOpen(true);
    }

    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, []);
  return (
    <>
      <button
        type="button"
        className="button find"
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span>Search an id, hash, address, order or name</span>
        <span className="keys" aria-hidden="true">
          <kbd className="kbd">{isMac ? "⌘" : "Ctrl"}</kbd>
          <kbd className="kbd">K</kbd>
        </span>
      </button>
      {isOpen && (
        <Suspense>
          <Palette close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
