import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A new screen's heading takes the focus, so that people who do not see the screen hear that it changed. */
export function Heading({ name, children }: { name: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [name]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
