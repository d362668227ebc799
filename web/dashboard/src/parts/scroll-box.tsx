import type { ReactNode } from "react";

/** A wide table in a card. The keyboard scrolls it, too. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      className="card scroll gap-4"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
    >
      {children}
    </section>
  );
}
