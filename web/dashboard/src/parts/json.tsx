import type { ReactNode } from "react";

/** A name, a text, a number or a word; what is between them stays as it is. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

function findClass(token: string, colon: string | undefined): string {
  if (colon !== undefined) return "n";
  if (token.startsWith('"')) return "s";
  return /^[-\d]/.test(token) ? "d" : "q";
}

/** In lines, without reading numbers as numbers: an amount stays as it was sent. */
export function indentJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === text;
    return isSame ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}

/** A text of JSON in colours; any other text as it is. */
export function Json({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, colon] = match;
    const name = colon === undefined ? token : token.slice(0, -colon.length);
    parts.push(text.slice(at, match.index));
    parts.push(
      <span key={match.index} className={findClass(token, colon)}>
        {name}
      </span>,
      colon ?? "",
    );
    at = match.index + token.length;
  }
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
