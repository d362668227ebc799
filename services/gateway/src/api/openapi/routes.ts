import { z } from "zod";
import { type AnyRouteSpec, type Route, route } from "../../pipeline/route.ts";
import { openApiDocument } from "./document.ts";

/** The table's description of itself, made when it is first asked for. */
export function readDocumentRoute(routes: readonly Route[]): AnyRouteSpec {
  const documents = new Map<string, object>();
  function documentFor(url: string): object {
    const document = documents.get(url) ?? openApiDocument(routes, url);
    documents.set(url, document);
    return document;
  }

  return route({
    auth: "none",
    tag: "Documentation",
    summary: "Read this document",
    response: z.looseObject({ openapi: z.string() }),
    success: 200,
    limit: "none",
    handle: async (_call, { publicUrl }) => documentFor(publicUrl),
  });
}
