// The page of one payment: its id is in the path, its client secret behind the #, which no server and no log ever sees.

import { connectServer } from "@pay/sdk/browser";
import { render } from "preact";
import { App } from "./app.tsx";
import { chooseLanguage, loadWords } from "./words.ts";

const PATH = /\/pay\/(pay_[0-9A-Za-z]+)$/;
const SECRET = /^#(cs_(?:live|test)_[0-9A-Za-z]+)$/;

const root = document.getElementById("checkout");
const [, id = ""] = PATH.exec(location.pathname) ?? [];
const [, secret = ""] = SECRET.exec(location.hash) ?? [];
const asked = new URLSearchParams(location.search).get("lang");
const language = chooseLanguage([...(asked === null ? [] : [asked]), ...navigator.languages]);

if (root !== null) {
  const words = await loadWords(language);
  const server =
    id === "" || secret === "" ? undefined : connectServer({ id, clientSecret: secret });
  render(
    <App
      {...{ id, server }}
      firstLanguage={language}
      firstWords={words}
      isChosen={asked !== null}
    />,
    root,
  );
}

// Another payment's link in the same tab changes only what is behind the #.
window.addEventListener("hashchange", () => location.reload());
