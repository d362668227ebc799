// How well the chosen colour can be read, in words.
import { contrast, GROUNDS, isVisibleOn, textOn, WHITE } from "../../../../look/colors.ts";
import { Icon } from "../../parts/icon.tsx";
import { COLOR } from "./design.ts";

const THEMES = ["light", "dark"] as const;

export function ColorNote({ color, theme }: { color: string; theme: string }) {
  if (color === "") return <span className="tip">Without one, buttons have our blue.</span>;
  if (!COLOR.test(color)) {
    return <span className="tip bad">A colour is # and six digits, e.g. #1D3B34</span>;
  }
  const text = textOn(color);
  const name = text === WHITE ? "White" : "Black";
  const lost = THEMES.filter(
    (one) => (theme === "" || theme === one) && !isVisibleOn(GROUNDS[one], color),
  );
  return (
    <>
      <span className="tip good">
        <Icon name="check" isSmall />
        {name} text on it is easy to read ({contrast(color, text).toFixed(1)} : 1)
      </span>
      {lost.map((one) => (
        <span key={one} className="tip heed">
          <Icon name="warning" isSmall />
          Too close to the {one} page ({contrast(color, GROUNDS[one]).toFixed(1)} : 1, at least 3 is
          needed), so buttons are blue there
        </span>
      ))}
    </>
  );
}
