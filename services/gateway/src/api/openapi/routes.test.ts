import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { toChainId } from "@pay/values";
import { DOCUMENTED } from "../table.ts";
import { openApiDocument } from "./document.ts";
import { createDocuments } from "./routes.ts";

const PUBLIC_URL = "https://pay.example";
const OPERATION_SIZE_MAX = 3_500;

interface Response {
  headers: Record<string, { schema: { examples?: string[] } }>;
}

test("all who ask for a document get the same bytes, which are made once", () => {
  const getDocument = createDocuments([]);
  const offered = { chainId: toChainId(1), token: `0x${"1".repeat(40)}` };
  const first = getDocument(PUBLIC_URL, offered);
  expect(getDocument(PUBLIC_URL, { ...offered })).toBe(first);
  expect(JSON.parse(first.plain.toString())).toMatchObject({ servers: [{ url: PUBLIC_URL }] });
  expect(gunzipSync(first.compressed)).toEqual(first.plain);
  expect(getDocument(PUBLIC_URL, undefined)).not.toBe(first);
});

test("tools get at most 3.5 kB an operation in which every reference leads somewhere", () => {
  const { plain } = createDocuments(DOCUMENTED)(PUBLIC_URL, undefined);
  expect(plain.length / DOCUMENTED.length).toBeLessThan(OPERATION_SIZE_MAX);
  const document = JSON.parse(plain.toString());
  const references = [...plain.toString().matchAll(/"\$ref":"#\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(DOCUMENTED.length);
  for (const [, path = ""] of references) {
    const found = path.split("/").reduce((inner, name) => inner?.[name], document);
    expect([path, typeof found]).toEqual([path, "object"]);
  }
  for (const kind of ["parameters", "responses", "headers", "requestBodies"]) {
    expect(Object.keys(document.components[kind])).not.toEqual([]);
  }
});

test("the document names what operations share once", () => {
  const document = JSON.parse(createDocuments(DOCUMENTED)(PUBLIC_URL, undefined).plain.toString());
  const { get } = document.paths["/v1/payments/{id}"];
  expect(get.parameters).toContainEqual({
    $ref: "#/components/parameters/VersionParam",
  });
  expect(get.responses["500"]).toEqual({ $ref: "#/components/responses/S500" });
  expect(document.components.responses.S500).toMatchObject({
    headers: { "X-Error-Code": { schema: { examples: ["internal"] } } },
  });
  expect([document.security, get.security]).toEqual([[{ secretKey: [] }], expect.anything()]);
  expect(document.paths["/v1/payments"].post).not.toHaveProperty("security");
  const { Refund, Currency } = document.components.schemas;
  expect(Refund.properties.currency).toEqual({ $ref: "#/components/schemas/Currency" });
  expect(Currency).toMatchObject({ type: "string", description: expect.any(String) });
});

test("generated code can name every operation and every component once", () => {
  const { paths, webhooks, components } = JSON.parse(
    createDocuments(DOCUMENTED)(PUBLIC_URL, undefined).plain.toString(),
  );
  const { event } = paths["/v1/webhook-endpoints"].post.callbacks;
  const items = [...Object.values(paths), ...Object.values(webhooks), ...Object.values(event)];
  const ids = items.flatMap((item) =>
    Object.values(item as Record<string, { operationId: string }>).map((one) => one.operationId),
  );
  expect(ids).toContain("webhooks.event");
  expect(new Set(ids).size).toBe(ids.length);
  const { securitySchemes: _, headers: __, ...named } = components;
  const names = Object.values(named as Record<string, object>).flatMap((kind) =>
    Object.keys(kind).map((name) => name.toLowerCase()),
  );
  expect(new Set(names).size).toBe(names.length);
});

test("the document for tools names every error code of every operation, by status", () => {
  const { paths } = openApiDocument(DOCUMENTED, PUBLIC_URL);
  const forTools = JSON.parse(createDocuments(DOCUMENTED)(PUBLIC_URL, undefined).plain.toString());
  // biome-ignore lint/suspicious/noExplicitAny: the documents are read as their readers do, by path
  function resolve(part: any): any {
    const [, , kind, name] = part?.$ref?.split("/") ?? [];
    return kind === undefined ? part : forTools.components[kind][name];
  }

  for (const { method, path } of DOCUMENTED) {
    const name = method.toLowerCase();
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const { responses } = (paths as any)[path][name];
    const operation = forTools.paths[path][name];
    expect(Object.keys(operation.responses)).toEqual(Object.keys(responses));
    for (const [status, { headers }] of Object.entries<Response>(responses)) {
      const shared = resolve(operation.responses[status]).headers;
      const codes = resolve(shared["X-Error-Code"])?.schema.examples ?? [];
      const own = operation["x-error-codes"]?.[status] ?? [];
      const expected = headers["X-Error-Code"]?.schema.examples ?? [];
      expect([...codes, ...own].sort()).toEqual([...expected].sort());
    }
  }
});
