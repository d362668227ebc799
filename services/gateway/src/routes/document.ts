import { z } from "zod";
import { openApiDocument } from "../openapi/document.ts";
import { type Route, route } from "../route.ts";

/** The table's description of itself. */
export const documentRoutes = (routes: readonly Route[]): Route[] => {
  const documents = new Map<string, object>();
  const documentFor = (url: string): object => {
    const document = documents.get(url) ?? openApiDocument(routes, url);
    documents.set(url, document);
    return document;
  };
  return [
    route({
      method: "GET",
      path: "/v1/openapi.json",
      auth: "none",
      tag: "Documentation",
      summary: "Read this document",
      response: z.looseObject({ openapi: z.string() }),
      success: 200,
      limit: "none",
      handle: async (_call, { publicUrl }) => documentFor(publicUrl),
    }),
  ];
};
