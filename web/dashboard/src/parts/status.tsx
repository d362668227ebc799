import type { StatusWords } from "../status-words.ts";
import { Icon } from "./icon.tsx";

export function Status({ words: { word, tone, icon } }: { words: StatusWords }) {
  return (
    <span className={`status ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
