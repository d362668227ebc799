import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSay, type Word } from "../words.ts";

export function Notice({
  title,
  text,
  busy = false,
}: {
  title: Word;
  text?: Word;
  busy?: boolean;
}) {
  const say = useSay();
  return (
    <section class="part" aria-busy={busy}>
      <Heading name={title}>{say(title)}</Heading>
      {busy && <Spinner />}
      {text && <p>{say(text)}</p>}
    </section>
  );
}

export function Spinner() {
  return <div class="spinner" aria-hidden="true" />;
}

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
