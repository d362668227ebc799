import { readChoice } from "../appearance.ts";

function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, select, textarea"))
  );
}

/** Whether a key alone may mean something: not while a person writes, answers a dialog or has turned keys off. */
export function isKeyFree(event: KeyboardEvent): boolean {
  return (
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !isTyping(event) &&
    readChoice("keys") === "on" &&
    document.querySelector('[role="dialog"], [role="menu"]') === null
  );
}
