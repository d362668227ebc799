// The dashboard: one page for every address below /dashboard, as its script chooses what to show, and a sign-in page
// that needs little script.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Express, NextFunction, Request, Response } from "express";
import { mountFiles, readBuiltPages, sendFile } from "./built-page.ts";
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

/** The script of each page by its name: `payments` of the list, `payment` of one. */
function listPageScripts(files: Iterable<string>): ReadonlyMap<string, string> {
  return new Map(
    [...files].flatMap((file) => {
      const [, name] = /^([a-z]+)-[A-Z0-9]{8}\.js$/.exec(file) ?? [];
      return name === undefined ? [] : [[name, file]];
    }),
  );
}

/** Lets the browser request the page's own script beside the one of all pages. */
function preloadScript(path: string, scripts: ReadonlyMap<string, string>): string {
  const [, , list = "home", id] = path.split("/");
  const file = scripts.get(id === undefined ? list || "home" : list.replace(/s$/, ""));
  if (file === undefined) return "";
  return `<link rel="modulepreload" href="/dashboard/files/${file}">`;
}

export function mountDashboard(app: Express): void {
  const { readPage, files } = readBuiltPages(require.resolve("@pay/dashboard/package.json"));
  const signIn = readPage("sign-in.html");
  const page = readPage("page.html").plain.toString("utf8");
  const scripts = listPageScripts(files.keys());
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
    const shown = page.replace("{page}", preloadScript(request.path, scripts));
    response.end(shown.replaceAll("{nonce}", response.locals.nonce));
  });
  rejectOtherMethods(app, everywhere);
}
