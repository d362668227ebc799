// A page as its build has left it in `dist`: read once at the start, sent compressed.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "@pay/failures";
import type { Express, Request, RequestHandler, Response } from "express";
import { rejectOtherMethods } from "./secured.ts";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  woff2: "font/woff2",
};

/** The best first. */
const ENCODINGS = ["br", "gz"] as const;
type Encoding = (typeof ENCODINGS)[number];
const ACCEPTED_AS: Record<Encoding, string> = { br: "br", gz: "gzip" };

export interface PageFile {
  type: string;
  plain: Buffer;
  compressed: Record<Encoding, Buffer>;
}

export interface BuiltPages {
  /** A document by its name, e.g. page.html. */
  readPage(name: string): PageFile;
  /** Scripts, styles and fonts; their names change with their content. */
  files: ReadonlyMap<string, PageFile>;
}

/** Of a package by its package.json. */
export function readBuiltPages(packageFile: string): BuiltPages {
  const dist = join(dirname(packageFile), "dist");
  const names = JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8")) as string[];
  function read(name: string): PageFile {
    return {
      type: TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      plain: readFileSync(join(dist, name)),
      compressed: {
        br: readFileSync(join(dist, `${name}.br`)),
        gz: readFileSync(join(dist, `${name}.gz`)),
      },
    };
  }

  return { readPage: read, files: new Map(names.map((name) => [name, read(name)])) };
}

export function sendFile(request: Request, response: Response, file: PageFile): void {
  const encoding = ENCODINGS.find((name) => request.acceptsEncodings(ACCEPTED_AS[name]));
  response.setHeader("Content-Type", file.type);
  response.setHeader("Vary", "Accept-Encoding");
  if (encoding !== undefined) response.setHeader("Content-Encoding", ACCEPTED_AS[encoding]);
  response.end(encoding === undefined ? file.plain : file.compressed[encoding]);
}

/** Files never change under their name, so browsers keep them. */
export function mountFiles(
  app: Express,
  folder: string,
  { files, headers }: { files: BuiltPages["files"]; headers: RequestHandler },
): void {
  app.get(`${folder}/:name`, headers, (request: Request, response: Response) => {
    response.locals.route = `${folder}/{name}`;
    const file = files.get(request.params.name as string);
    if (file === undefined) throw new Failure("route_not_found", "Not found");
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    sendFile(request, response, file);
  });
  rejectOtherMethods(app, `${folder}/:name`);
}
