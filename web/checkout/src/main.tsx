// The page of one payment: its id is in the path, its client secret behind the #, which no server and no log ever sees.

import { render } from "preact";
import { App } from "./app.tsx";
import { readLink } from "./opened.ts";
import { chooseLanguage, loadWords } from "./words.ts";

if (location.pathname === "/pay/preview") await import("./preview.ts");

const root = document.getElementById("checkout");
const asked = new URLSearchParams(location.search).get("lang");
const language = chooseLanguage([...(asked === null ? [] : [asked]), ...navigator.languages]);

if (root !== null) {
  const words = await loadWords(language);
  render(
    <App
      link={readLink(location)}
      firstLanguage={language}
      firstWords={words}
      isChosen={asked !== null}
    />,
    root,
  );
}

// Another payment's link in the same tab changes only what is behind the #.
window.addEventListener("hashchange", () => location.reload());
