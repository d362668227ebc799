import { toChainId } from "@pay/values";
import { z } from "zod";
import type { Deps } from "../../pipeline/deps.ts";
import { type AnyRouteSpec, type Route, route } from "../../pipeline/route.ts";
import { type Offered, openApiDocument } from "./document.ts";

/**
 * Makes each document once, as the bytes of its answer: without a key it may be asked for a thousand times in one
 * write,
 * and a copy of each answer would wait for its client.
 */
export function createDocuments(routes: readonly Route[]) {
  const documents = new Map<string, Buffer>();
  return (publicUrl: string, offered: Offered | undefined): Buffer => {
    const key = JSON.stringify([publicUrl, offered]);
    const document =
      documents.get(key) ??
      Buffer.from(JSON.stringify(openApiDocument(routes, publicUrl, offered)));
    documents.set(key, document);
    return document;
  };
}

/** The table's description of itself. */
export function readDocumentRoute(routes: readonly Route[]): AnyRouteSpec {
  const getDocument = createDocuments(routes);
  return route({
    auth: "none",
    tag: "Documentation",
    summary: "Read this document",
    response: z.looseObject({ openapi: z.string() }),
    success: 200,
    limit: "address",
    handle: async (_call, { publicUrl, catalog }) =>
      getDocument(publicUrl, await findOffered(catalog)),
  });
}

/** The first chain with a token, so that an example works as it is printed. Undefined where none is known now. */
export async function findOffered(catalog: Deps["catalog"]): Promise<Offered | undefined> {
  const chains = await catalog.chains().catch(() => []);
  const chain = chains.find(({ tokens }) => tokens.length > 0);
  const token = chain?.tokens[0]?.address;
  return chain === undefined || token === undefined
    ? undefined
    : { chainId: toChainId(chain.chainId), token };
}
