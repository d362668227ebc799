// The OpenAPI document, made from the table of routes and the schemas that validate requests, so that it always
// describes them.
import { type ChainId, toChainId } from "@pay/values";
import type { Route } from "../../pipeline/route.ts";
import { TOKEN } from "../example-values.ts";
import { VARIANT_HEADER } from "../payments/request.ts";
import { type Json, toComponents } from "./json-schema.ts";
import { operation } from "./operation.ts";
import { buildSamples } from "./samples.ts";
import { SECURITY_SCHEMES } from "./security.ts";
import { buildWebhooks, WEBHOOK_BODIES } from "./webhooks.ts";

const ABOUT = {
  title: "Payment service",
  version: "1.0.0",
  description:
    "Accepts payments on EVM chains. Amounts are decimal strings, times are ISO 8601 in UTC, every error has the " +
    "same body; its machine-readable code is in the header X-Error-Code, and X-Request-Id names the request.",
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

const TAGS: Readonly<Record<string, string>> = {
  "Audit log": "Who changed settings and moved money.",
  Books: "Your wallets by month, beside what the chain says.",
  Chains: "Networks and tokens that payments may use.",
  Customers: "Your customers and what they paid.",
  Documentation: "This document.",
  Events: "What happened to your resources, to read again.",
  Keys: "API keys of the project.",
  Members: "People of the shop, and what each may do in the dashboard.",
  Needs: "What waits for a person.",
  Payments: "Orders and the money received for them.",
  Projects: "Settings of the project.",
  Refunds: "Money sent back to customers.",
  Sessions: "Sign-in of customers.",
  Settlements: "Payouts to your own wallets, and the book of their addresses.",
  Statements: "What was received, refunded and paid out, by day.",
  "Request log": "Writes and failed requests of the last week.",
  Search: "Records by what people have at hand.",
  Transfers: "Money received, also what belongs to no payment.",
  "Webhook endpoints": "Addresses that receive your events, and each attempt to reach them.",
  x402: "Payments that your own server takes over HTTP 402.",
  Webhooks: "What your endpoints receive.",
};

const ERROR = {
  type: "object",
  description: "The body of every error.",
  properties: {
    statusCode: { type: "integer", description: "The HTTP status.", example: 400 },
    message: {
      type: "string",
      description: "What is wrong, for people.",
      example: "amount is required",
    },
    error: { type: "string", description: "Name of the status.", example: "Bad Request" },
  },
  required: ["statusCode", "message", "error"],
  additionalProperties: false,
};

/** The chain and the token that examples show: those that the installation offers. */
export interface Offered {
  chainId: ChainId;
  token: string;
}

export function openApiDocument(
  routes: readonly Route[],
  serverUrl: string,
  offered: Offered = { chainId: toChainId(1), token: TOKEN },
): Json {
  const { responses, components } = toComponents({
    ...Object.fromEntries(routes.map((route) => [nameRoute(route), route.response])),
    ...WEBHOOK_BODIES,
  });
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const plain = operation(route, responses[nameRoute(route)] ?? {}, components);
    const described = withSamples(placed(plain, offered), route, serverUrl);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
  }
  const schemas = Object.entries({ Error: ERROR, ...components });
  return {
    openapi: "3.1.0",
    info: ABOUT,
    servers: [{ url: serverUrl }],
    tags: [...new Set(["Webhooks", ...routes.map(({ tag }) => tag)])].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    webhooks: buildWebhooks(responses),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(schemas.sort(([one], [two]) => (one < two ? -1 : 1))),
    },
  };
}

function nameRoute({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Programs that send what the operation's example shows. */
function withSamples(
  described: Json,
  { auth, method, path, headers = [] }: Route,
  serverUrl: string,
): Json {
  const body = described.requestBody as { content: Record<string, { example?: unknown }> };
  const samples = buildSamples({
    operationId: described.operationId as string,
    method,
    path,
    serverUrl,
    key: auth === "publishable" ? "publishable" : "secret",
    hasVariant: headers.includes(VARIANT_HEADER),
    body: body?.content["application/json"]?.example,
  });
  return { ...described, "x-codeSamples": samples };
}

/** The examples of an operation with another chain and token. */
function placed(value: unknown, { chainId, token }: Offered): Json {
  const text = JSON.stringify(value, (key, inner) =>
    key === "chainId" && inner === 1 ? chainId : inner,
  );
  return JSON.parse(text.replaceAll(TOKEN, token));
}
