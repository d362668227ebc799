// The way to a link on which the payment goes on: a button makes the link, which then stands in the button's place.
import type { ComponentChildren } from "preact";
import type { useHandOff } from "../hand-off.ts";
import { useSay, type Word } from "../words.ts";

interface Props {
  handOff: ReturnType<typeof useHandOff>;
  hint: Word;
  button: Word;
  /** How the link is shown. */
  children: (link: string) => ComponentChildren;
}

export function HandOffLink({ handOff, hint, button, children }: Props) {
  const say = useSay();
  const { link, isBusy, hasFailed, make } = handOff;
  return (
    <>
      <p class="hint">{say(hint)}</p>
      <p class="problem" role="status">
        {hasFailed && say("appFailed")}
      </p>
      {link === undefined ? (
        <button type="button" class="button large" disabled={isBusy} onClick={() => void make()}>
          {say(button)}
        </button>
      ) : (
        children(link)
      )}
    </>
  );
}
