// The dashboard: one page for every address below /dashboard, as its script chooses what to show, and a sign-in page
// that needs little script.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Express, NextFunction, Request, Response } from "express";
import { type BuiltPages, mountFiles, readBuiltPages, sendFile } from "./built-page.ts";
import { rejectOtherMethods, secured } from "./secured.ts";

const require = createRequire(import.meta.url);

const POLICY = { requireTrustedTypesFor: ["'script'"] };
const OTHERS = {
  // Wallets that open a window of their own have to reach the page again.
  crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  referrerPolicy: { policy: "same-origin" },
} as const;

const HEADERS = secured(POLICY, OTHERS);

/** react-aria adds two style elements, which carry the nonce of the page. The checkout's preview is framed. */
const PAGE_HEADERS = secured(
  {
    ...POLICY,
    frameSrc: ["'self'"],
    styleSrc: [
      "'self'",
      (_request, response) => `'nonce-${(response as unknown as Response).locals.nonce}'`,
    ],
  },
  OTHERS,
);

function chooseNonce(_request: Request, response: Response, next: NextFunction): void {
  response.locals.nonce = randomBytes(16).toString("base64");
  next();
}

function setPageHeaders(response: Response): void {
  response.setHeader("Cache-Control", "no-store");
  response.appendHeader("Permissions-Policy", "publickey-credentials-get=(self)");
}

const IMPORT = /(?:from|import)"\.\/([\w-]+\.js)"/g;

/** A script and what it imports, but for the script of all pages, which the page names itself. */
function collectScripts(name: string, files: BuiltPages["files"], known: Set<string>): Set<string> {
  if (known.has(name) || name.startsWith("dashboard-")) return known;
  known.add(name);
  for (const [, needed = ""] of `${files.get(name)?.plain}`.matchAll(IMPORT))
    collectScripts(needed, files, known);
  return known;
}

/** For each page by its name, `payments` of the list and `payment` of one: the tags that preload its scripts. */
function makePreloads(files: BuiltPages["files"]): ReadonlyMap<string, string> {
  return new Map(
    [...files.keys()].flatMap((file) => {
      const [, name] = /^([a-z]+)-[A-Z0-9]{8}\.js$/.exec(file) ?? [];
      if (name === undefined) return [];
      const tags = [...collectScripts(file, files, new Set())].map(
        (script) => `<link rel="modulepreload" href="/dashboard/files/${script}">`,
      );
      return [[name, tags.join("")]];
    }),
  );
}

/** Lets the browser request the page's own scripts beside the one of all pages. */
function preloadScripts(path: string, preloads: ReadonlyMap<string, string>): string {
  const [, , list = "home", id] = path.split("/");
  return preloads.get(id === undefined ? list || "home" : list.replace(/s$/, "")) ?? "";
}

export function mountDashboard(app: Express): void {
  const { readPage, files } = readBuiltPages(require.resolve("@pay/dashboard/package.json"));
  const signIn = readPage("sign-in.html");
  const page = readPage("page.html").plain.toString("utf8");
  const preloads = makePreloads(files);
  mountFiles(app, "/dashboard/files", { files, headers: HEADERS });
  app.get("/dashboard/sign-in", HEADERS, (request: Request, response: Response) => {
    response.locals.route = "/dashboard/sign-in";
    setPageHeaders(response);
    sendFile(request, response, signIn);
  });
  const everywhere = "/dashboard{/*path}";
  app.get(everywhere, chooseNonce, PAGE_HEADERS, (request: Request, response: Response) => {
    response.locals.route = "/dashboard";
    setPageHeaders(response);
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    const shown = page.replace("{page}", preloadScripts(request.path, preloads));
    response.end(shown.replaceAll("{nonce}", response.locals.nonce));
  });
  rejectOtherMethods(app, everywhere);
}
