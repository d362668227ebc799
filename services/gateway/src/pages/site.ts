// The shell of the pages for merchants and developers: one stylesheet, built with the checkout's files and served
// beside them.
import { createRequire } from "node:module";
import { readBuiltPages } from "./built-page.ts";
import { escapeHtml } from "./html.ts";

const require = createRequire(import.meta.url);

export const HTML = "text/html; charset=utf-8";

/** The document around each page, as the build of the checkout has left it. */
export function readShell(): string {
  const { readPage } = readBuiltPages(require.resolve("@pay/checkout/package.json"));
  return readPage("site.html").plain.toString("utf8");
}

export function renderShell(shell: string, title: string, body: string): string {
  return shell.replace("{title}", () => escapeHtml(title)).replace("{body}", () => body);
}

/** The product's mark, which leads to its first page. */
export const MARK = `<a class="mark" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6.5"/><path d="M7 17.5V8.6c0-1 .8-1.8 1.8-1.8h3.9a3.9 3.9 0 0 1 0 7.8H10"/></svg>Pay</a>`;

// Outlines from Lucide (ISC).
const ICONS = {
  dashboard: `<rect width="7" height="9" x="3" y="3" rx="1"/><rect width="7" height="5" x="14" y="3" rx="1"/><rect width="7" height="9" x="14" y="12" rx="1"/><rect width="7" height="5" x="3" y="16" rx="1"/>`,
  check: `<path d="M20 6 9 17l-5-5"/>`,
  braces: `<path d="M8 3H7a2 2 0 0 0-2 2v5a2 2 0 0 1-2 2 2 2 0 0 1 2 2v5c0 1.1.9 2 2 2h1"/><path d="M16 21h1a2 2 0 0 0 2-2v-5c0-1.1.9-2 2-2a2 2 0 0 1-2-2V5a2 2 0 0 0-2-2h-1"/>`,
  book: `<path d="M12 5v16"/><path d="M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z"/>`,
  key: `<path d="M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z"/>`,
  warning: `<path d="m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3"/><path d="M12 9v4"/><path d="M12 17h.01"/>`,
  menu: `<path d="M4 5h16"/><path d="M4 12h16"/><path d="M4 19h16"/>`,
} as const;

export function renderIcon(name: keyof typeof ICONS): string {
  return `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${ICONS[name]}</svg>`;
}
