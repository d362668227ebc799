import { chainIdOf } from "@pay/values";
import { z } from "zod";
import type { Deps } from "../../pipeline/deps.ts";
import { type AnyRouteSpec, type Route, route } from "../../pipeline/route.ts";
import { type Offered, openApiDocument } from "./document.ts";

/** The table's description of itself, made when it is first asked for. */
export function readDocumentRoute(routes: readonly Route[]): AnyRouteSpec {
  const documents = new Map<string, object>();
  return route({
    auth: "none",
    tag: "Documentation",
    summary: "Read this document",
    response: z.looseObject({ openapi: z.string() }),
    success: 200,
    limit: "none",
    handle: async (_call, { publicUrl, catalog }) => {
      const offered = await findOffered(catalog);
      const key = JSON.stringify([publicUrl, offered]);
      const document = documents.get(key) ?? openApiDocument(routes, publicUrl, offered);
      documents.set(key, document);
      return document;
    },
  });
}

/** The first chain with a token, so that an example works as it is printed. Undefined where none is known now. */
export async function findOffered(catalog: Deps["catalog"]): Promise<Offered | undefined> {
  const chains = await catalog.chains().catch(() => []);
  const chain = chains.find(({ tokens }) => tokens.length > 0);
  const token = chain?.tokens[0]?.address;
  return chain === undefined || token === undefined
    ? undefined
    : { chainId: chainIdOf(chain.chainId), token };
}
