// Keys that work on every page, outside of fields and dialogs; the account page turns them off.
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { hasScope, useWorkspace } from "../api/session.ts";
import { isKeyFree } from "../parts/keys.ts";
import { later } from "../parts/later.tsx";
import { LETTERED } from "./places.ts";

/** How long a letter may come after G. */
const TOGETHER_MS = 1_500;

const KeysDialog = later(async () => (await import("./keys-dialog.tsx")).KeysDialog);

/** The first or the next row of a list: a row that has the focus moves it by itself. */
function enterList() {
  if (document.activeElement?.closest("table.list") != null) return;
  document.querySelector<HTMLElement>("main table.list td:first-child a")?.focus();
}

function useKeys(show: () => void) {
  const navigate = useNavigate();
  const canCreate = hasScope(useWorkspace(), "payments:write");
  const goneAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    function go(letter: string): boolean {
      const isTogether = performance.now() - goneAt.current < TOGETHER_MS;
      goneAt.current = Number.NEGATIVE_INFINITY;
      const place = isTogether ? LETTERED.find((one) => one.letter === letter) : undefined;
      if (place !== undefined) void navigate({ to: place.to });
      return place !== undefined;
    }

    function press(event: KeyboardEvent) {
      if (!isKeyFree(event)) return;
      const key = event.key.toLowerCase();
      if (go(key)) return event.preventDefault();
      if (key === "g") goneAt.current = performance.now();
      else if (key === "?") show();
      else if (key === "c" && canCreate) void navigate({ to: "/links", search: { open: "new" } });
      else if (key === "e") document.querySelector<HTMLElement>("main [data-export]")?.click();
      else if (key === "j" || key === "k") return enterList();
      else return;
      event.preventDefault();
    }

    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate, canCreate, show]);
}

/** The list of keys, by ? or by the button below the navigation. */
export function Keys() {
  const [isOpen, setOpen] = useState(false);
  const show = useRef(() => setOpen(true)).current;
  useKeys(show);
  return (
    <>
      <button type="button" className="link" onClick={show}>
        Keyboard
      </button>
      {isOpen && <KeysDialog close={() => setOpen(false)} />}
    </>
  );
}
