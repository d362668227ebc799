import { Failure } from "@pay/failures";
import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import * as field from "../fields.ts";
import { healthShape, renderHealth } from "./health-response.ts";
import { chainShape, renderChain, renderToken, TOKEN_EXTRAS, tokenShape } from "./response.ts";

const chains = { auth: "publishable", tag: "Chains", limit: "public", success: 200 } as const;

export const listChainsRoute = route({
  ...chains,
  summary: "List the supported chains",
  response: z.array(chainShape),
  handle: async (_call, { catalog }) => (await catalog.chains()).map(renderChain),
});

export const listChainTokensRoute = route({
  ...chains,
  summary: "List the tokens of a chain",
  query: z.object({ expand: field.expansion(TOKEN_EXTRAS) }),
  response: z.array(tokenShape),
  failures: ["field_invalid", "chain_not_found"],
  handle: async ({ params, query }, { catalog }) => {
    const chainId = parseChainId(params.chainId);
    const chain = (await catalog.chains()).find((known) => known.chainId === chainId);
    if (chain === undefined) throw new Failure("chain_not_found", "Chain not found");
    return chain.tokens.map((token) => renderToken(token, query.expand));
  },
});

export const listTokensRoute = route({
  ...chains,
  deprecated: true,
  summary: "List the tokens of all chains",
  response: z.array(tokenShape),
  handle: async (_call, { catalog }) =>
    (await catalog.chains()).flatMap(({ tokens }) => tokens.map((token) => renderToken(token))),
});

export const readHealthRoute = route({
  auth: "secret",
  scope: "payments:read",
  tag: "Chains",
  limit: "standard",
  summary: "Read how far each chain is followed",
  response: z.array(healthShape),
  success: 200,
  handle: async ({ services }) => (await services.chains.listHealth({})).chains.map(renderHealth),
});

function parseChainId(text: string): bigint {
  if (/^[1-9][0-9]{0,17}$/.test(text)) return BigInt(text);
  throw new Failure("field_invalid", "chainId must be a positive integer");
}
