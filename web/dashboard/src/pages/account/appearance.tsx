import { CHOICES, type Choice, keepChoice, useChoice } from "../../appearance.ts";

const NAMES: Record<Choice, string> = {
  theme: "Theme",
  density: "Rows of lists",
  zone: "Times",
  amounts: "Amounts",
  keys: "Keyboard",
};

const WORDS: Record<string, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
  comfortable: "Comfortable",
  compact: "Compact",
  local: "Local",
  utc: "UTC",
  shown: "Shown",
  hidden: "Hidden",
  on: "On",
  off: "Off",
};

function Chooser({ choice }: { choice: Choice }) {
  const value = useChoice(choice);
  return (
    <fieldset className="choices">
      <legend>{NAMES[choice]}</legend>
      <div className="mode">
        {CHOICES[choice].map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === value}
            onClick={() => keepChoice(choice, one)}
          >
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
