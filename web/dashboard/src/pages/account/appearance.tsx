import { useState } from "react";
import { CHOICES, type Choice, keepChoice, readChoice } from "../../appearance.ts";

const NAMES: Record<Choice, string> = {
  theme: "Theme",
  density: "Rows of lists",
  keys: "Keyboard",
};

const WORDS: Record<string, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
  comfortable: "Comfortable",
  compact: "Compact",
  on: "On",
  off: "Off",
};

function Chooser({ choice }: { choice: Choice }) {
  const [value, setValue] = useState(() => readChoice(choice));
  function choose(next: string) {
    keepChoice(choice, next);
    setValue(next);
  }

  return (
    <fieldset className="choices">
      <legend>{NAMES[choice]}</legend>
      <div className="mode">
        {CHOICES[choice].map((one) => (
          <button key={one} type="button" aria-pressed={one === value} onClick={() => choose(one)}>
            {WORDS[one]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** Kept in this browser. */
export function Appearance() {
  return (
    <section className="section">
      <header>
        <h2>Appearance in this browser</h2>
      </header>
      <div className="looks">
        {(Object.keys(CHOICES) as Choice[]).map((choice) => (
          <Chooser key={choice} choice={choice} />
        ))}
      </div>
    </section>
  );
}
