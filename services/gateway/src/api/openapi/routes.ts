import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { toChainId } from "@pay/values";
import { z } from "zod";
import type { Deps } from "../../pipeline/deps.ts";
import { type AnyRouteSpec, type Route, route } from "../../pipeline/route.ts";
import { type Offered, openApiDocument } from "./document.ts";
import { buildForTools } from "./for-tools.ts";
import type { Json } from "./json-schema.ts";

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;

interface Encoded {
  plain: Buffer;
  compressed: Buffer;
}

/**
 * Makes each document once, as the bytes of its answer: without a key it may be asked for a thousand times in one
 * write, and a copy of each answer would wait for its client.
 */
export function createDocuments(routes: readonly Route[]) {
  const documents = new Map<string, Encoded>();
  return (publicUrl: string, offered: Offered | undefined): Encoded => {
    const key = JSON.stringify([publicUrl, offered]);
    const document = documents.get(key) ?? encode(openApiDocument(routes, publicUrl, offered));
    documents.set(key, document);
    return document;
  };
}

function encode(document: Json): Encoded {
  const plain = Buffer.from(JSON.stringify(buildForTools(document)));
  return { plain, compressed: gzipSync(plain) };
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
    getTag: (bytes) =>
      `"${createHash("sha256")
        .update(bytes as unknown as Buffer)
        .digest("base64url")}"`,
    handle: async (call, { publicUrl, catalog }) => {
      const { plain, compressed } = getDocument(publicUrl, await findOffered(catalog));
      call.reply("Vary", "Accept-Encoding");
      if (!ACCEPTS_GZIP.test(call.header("accept-encoding") ?? "")) return plain;
      call.reply("Content-Encoding", "gzip");
      return compressed;
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
    : { chainId: toChainId(chain.chainId), token };
}
