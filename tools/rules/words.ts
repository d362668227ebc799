// The words that make a sentence hard to understand for a reader whose third language is English. Names are checked
// like sentences: `openDoors` holds the word `doors`.
import type { Place, Rule } from "./rule.ts";

/** Each banned word, and what to write instead. */
const BANNED: Readonly<Record<string, string>> = {
  anybody: "name the person or the program",
  bury: "write a dead letter",
  buried: "written as a dead letter",
  buries: "writes a dead letter",
  burying: "writing a dead letter",
  catalogue: "catalog",
  catalogues: "catalogs",
  door: "port, address or check",
  doors: "ports, addresses or checks",
  everybody: "all callers, all merchants",
  house: "project, rules of the project",
  introduction: "first event, new record",
  introductions: "first events, new records",
  lane: "queue",
  lanes: "queues",
  letter: "character, or event; the term dead letter is allowed",
  letters: "characters, or events; the term dead letters is allowed",
  news: "event, webhook, change",
  nobodies: "no callers",
  nobody: "no merchant, no process, no service",
  parcel: "message, lazy message",
  parcels: "messages, lazy messages",
  somebody: "name the person or the program",
  told: "sent, notified, reported, configured",
  whoever: "the caller that, the process that",
  wish: "request",
  wishes: "requests",
  young: "short-lived, recent",
};

// Text that cannot change: applied migrations, the lock file, and the table above.
const FIXED_FILE = /\/migrations\/|^package-lock\.json$|^tools\/rules\/words\.ts$/;
/** Names of packages, the system's account, and the one term that contains a banned word. */
const FIXED_TEXT = /"nobody"|@[\w-]+\/[\w-]+|dead[\s_-]*letters?/gi;

function splitWords(line: string): readonly string[] {
  const text = line.replace(FIXED_TEXT, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

export const WORD_RULE: Rule = {
  name: "no word that docs/style.md bans",
  find: (tree) =>
    tree
      .filter(({ path }) => !FIXED_FILE.test(path))
      .flatMap(({ path, lines }): Place[] =>
        lines.flatMap((line, at) =>
          splitWords(line).some((word) => Object.hasOwn(BANNED, word))
            ? [{ path, line: at + 1 }]
            : [],
        ),
      ),
  bad: [
    { "docs/shop.md": "Nobody pays for a closed order.\n" },
    { "e2e/shop.test.ts": "const openDoors = 1;\n" },
    { "e2e/shop.test.ts": 'test("WHOEVER pays is served", () => {});\n' },
    { "proto/shop/v1/shop.proto": "// An event whose payment_lanes are full.\n" },
  ],
  good: [
    {
      "docs/shop.md": "A dead letter is a row in `dead_letters`; the address is in a newsletter.\n",
    },
    { "tools/shop/package.json": '{ "dependencies": { "@parcel/watcher": "1.0.0" } }\n' },
  ],
};
