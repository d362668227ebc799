import { describe, expect, test } from "@jest/globals";
import { toChainId } from "@pay/values";
import { ROUTES } from "../table.ts";
import { openApiDocument } from "./document.ts";

const resources = ROUTES.filter(({ auth }) => auth !== "none");
const document = openApiDocument(resources, "https://pay.example");
// biome-ignore lint/suspicious/noExplicitAny: the document is read as its readers do, by path
const paths = document.paths as any;

describe.each(resources.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  "$name",
  ({ route }) => {
    const operation = paths[route.path][route.method.toLowerCase()];

    test("has examples that its own schemas accept", () => {
      const [response] = Object.values<{ example: unknown }>(
        operation.responses[route.success].content,
      );
      expect(() => route.response.parse(response?.example)).not.toThrow();
      const request = operation.requestBody?.content["application/json"].example;
      if (route.body !== undefined) expect(() => route.body?.parse(request)).not.toThrow();
    });

    test("is described with its key, its parameters and its answers", () => {
      const scheme = route.auth === "secret" ? "secretKey" : "publishableKey";
      const beside = route.session === undefined ? [] : [{ publishableKey: [], session: [] }];
      const alone = route.client === undefined ? [] : [{ clientSecret: [] }];
      expect(operation.security).toEqual([{ [scheme]: [] }, ...beside, ...alone]);
      function named(place: string) {
        return operation.parameters.flatMap((parameter: { in: string; name: string }) =>
          parameter.in === place ? [parameter.name] : [],
        );
      }

      expect(named("path")).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map(([, at]) => at));
      expect(named("query")).toEqual(Object.keys(route.query?.shape ?? {}));
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining([String(route.success), "400", "401", "403", "429", "500", "503"]),
      );
      expect(operation.requestBody === undefined).toBe(route.body === undefined);
    });
  },
);

test("every operation has an id of its own, named after its resource", () => {
  const ids = resources.map(({ path, method }) => paths[path][method.toLowerCase()].operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)+$/);
  const some = [
    "payments.create",
    "payments.list",
    "payments.get",
    "payments.confirm",
    "projects.update",
  ];
  expect(ids).toEqual(expect.arrayContaining(some));
});

interface Described {
  description?: string;
  properties?: Record<string, Described>;
  items?: Described;
  anyOf?: Described[];
}

function undescribed(schema: Described, place: string): string[] {
  const inside = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${place}.${name}`]),
    ...undescribed(field, name),
  ]);
  return [...fields, ...inside.flatMap((one) => undescribed(one, place))];
}

test("every field of every request and answer is described", () => {
  const { schemas } = document.components as { schemas: Record<string, Described> };
  const inAnswers = Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name));
  const inRequests = resources.flatMap(({ path, method }) => {
    const { requestBody, parameters, operationId } = paths[path][method.toLowerCase()];
    const body = requestBody?.content["application/json"].schema ?? {};
    const queries = parameters as { name: string; description?: string }[];
    const silent = queries.filter(({ description }) => !description);
    return [
      ...undescribed(body, operationId),
      ...silent.map(({ name }) => `${operationId}?${name}`),
    ];
  });
  expect([...new Set([...inAnswers, ...inRequests])]).toEqual([]);
});

test("answers are references to named schemas, the same answer to the same name", () => {
  const read = paths["/v1/payments/{id}"].get.responses["200"].content["application/json"].schema;
  expect(read).toEqual({ $ref: "#/components/schemas/Payment" });
  const approved = paths["/v1/settlements/{id}/approve"].post.responses["200"];
  expect(approved.content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/Settlement",
  });
});

test("examples show a chain and a token that are offered", () => {
  const token = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  const offered = openApiDocument(resources, "https://pay.example", {
    chainId: toChainId(31_337),
    token,
  });
  const { post } = (offered.paths as typeof paths)["/v1/payments"];
  expect(post.requestBody.content["application/json"].example).toMatchObject({
    chainId: 31_337,
    currency: token,
  });
});

test("bodies are described by the schemas that validate them", () => {
  const { properties, required } =
    paths["/v1/payments"].post.requestBody.content["application/json"].schema;
  expect(required).toEqual(["amount", "chainId", "currency"]);
  expect(properties.amount).toMatchObject({
    type: "string",
    pattern: expect.stringContaining("[0-9]"),
  });
  expect(properties.chainId).toMatchObject({ type: "integer", minimum: 1 });
  expect(paths["/v1/payments"].get.parameters).toContainEqual({
    name: "limit",
    in: "query",
    description: "Maximum number of items of a page.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  });
});

test("what a shopper may leave out is said", () => {
  expect(paths["/v1/payments/{id}/confirm"].post.description).toBe(
    "With a customer session it covers the customer's own resources only; clientSecret is optional.",
  );
  expect(paths["/v1/payments"].post.description).not.toContain("session");
});

test("what a session may expand is said", () => {
  expect(paths["/v1/customers/{id}"].get.description).toMatch(
    / With a customer session expand takes email\.$/,
  );
  expect(paths["/v1/customers"].get.description).toMatch(
    / expand is not available to a customer session\.$/,
  );
});

test("headers and failures of a route are said where it has them, and nowhere else", () => {
  function toHeaders(operation: { parameters: { in: string; name: string }[] }) {
    return operation.parameters.filter((one) => one.in === "header").map(({ name }) => name);
  }

  expect(toHeaders(paths["/v1/payments"].post)).toContain("X-Service-Variant");
  expect(toHeaders(paths["/v1/payments/{id}"].get)).not.toContain("X-Service-Variant");
  expect(paths["/v1/refunds"].post.responses).toHaveProperty("404");
  expect(paths["/v1/refunds"].get.responses).not.toHaveProperty("404");
  expect(paths["/v1/projects/me/keys/{id}"].delete.responses).toHaveProperty("409");
});

test("the document is plain JSON", () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});
