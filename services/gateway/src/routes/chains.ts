import { Failure } from "@pay/rpc";
import { z } from "zod";
import { route } from "../route.ts";
import { chainShape, renderChain, renderToken, tokenShape } from "../shapes/chain.ts";

const open = {
  method: "GET",
  auth: "publishable",
  tag: "Chains",
  limit: "public",
  success: 200,
} as const;

export const chainRoutes = [
  route({
    ...open,
    path: "/v1/chains",
    summary: "List the supported chains",
    response: z.array(chainShape),
    handle: async (_call, { catalogue }) => (await catalogue.chains()).map(renderChain),
  }),
  route({
    ...open,
    path: "/v1/chains/{chainId}/tokens",
    summary: "List the tokens that can be paid on a chain",
    response: z.array(tokenShape),
    handle: async ({ params }, { catalogue }) => {
      const chainId = chainIdOf(params.chainId);
      const chain = (await catalogue.chains()).find((known) => known.chainId === chainId);
      if (chain === undefined) throw new Failure("not_found", "Chain not found");
      return chain.tokens.map(renderToken);
    },
  }),
  route({
    ...open,
    path: "/v1/tokens",
    summary: "List the tokens of all chains",
    response: z.array(tokenShape),
    handle: async (_call, { catalogue }) =>
      (await catalogue.chains()).flatMap(({ tokens }) => tokens.map(renderToken)),
  }),
];

const chainIdOf = (text: string): bigint => {
  if (/^[1-9][0-9]{0,17}$/.test(text)) return BigInt(text);
  throw new Failure("invalid_argument", "chainId must be a positive integer");
};
