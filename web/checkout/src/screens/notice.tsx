import { useSay } from "../speech.ts";
import type { Word } from "../words.ts";
import { Heading } from "./heading.tsx";

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
