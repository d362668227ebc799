// The API reference as one page without scripts, made from the OpenAPI document.

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the document is read as its readers do, by path
type Document = any;

const METHODS = ["get", "post", "put", "delete"];
const DEPTH_MAX = 3;
const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: unknown): string {
  return `${text}`.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);
}

/** Code in backquotes, as the descriptions have it. */
function prose(text: unknown): string {
  return escapeHtml(text ?? "").replace(/`([^`]+)`/g, "<code>$1</code>");
}

export interface Page {
  title: string;
  body: string;
}

export function renderReference(document: Document): Page {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) =>
      methods[method] ? [{ path, method, ...(methods[method] as object) }] : [],
    ),
  ) as Operation[];
  const tags = [...new Set(operations.map(({ tags: [tag] }) => tag))];
  function ofTag(tag: string) {
    return operations.filter((one) => one.tags[0] === tag);
  }

  const contents = tags.map((tag) => {
    const items = ofTag(tag).map(
      ({ operationId, summary }) => `<li><a href="#${operationId}">${escapeHtml(summary)}</a></li>`,
    );
    return `<li>${escapeHtml(tag)}<ul>${items.join("")}</ul></li>`;
  });
  const sections = tags.map((tag) => {
    const articles = ofTag(tag).map((operation) => renderOperation(operation, document));
    return `<section><h2>${escapeHtml(tag)}</h2>${articles.join("")}</section>`;
  });
  return {
    title: "API reference",
    body: `<p>${prose(document.info.description)}</p>
<p><a href="/v1/openapi.json">OpenAPI document</a> · <a href="/docs/errors">Error codes</a></p>
<nav aria-label="Operations"><ul class="contents">${contents.join("")}</ul></nav>${sections.join("")}`,
  };
}

interface Operation {
  path: string;
  method: string;
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security: Json[];
  parameters: {
    name: string;
    in: string;
    description?: string;
    required?: boolean;
    schema: Json;
  }[];
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, Document>;
  "x-codeSamples": { label: string; source: string }[];
}

function renderOperation(operation: Operation, document: Document): string {
  const { operationId, method, path, summary, responses, parameters } = operation;
  const [status = "200"] = Object.keys(responses);
  const answer = responses[status].content?.["application/json"];
  const body = operation.requestBody?.content["application/json"];
  const own = parameters.filter(({ name }) => name !== "X-Service-Version");
  return `<article id="${operationId}">
<h3>${escapeHtml(summary)}</h3>
<p class="path"><code><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</code></p>
${operation.deprecated ? "<p><strong>Deprecated.</strong></p>" : ""}
<p>${prose(operation.description)} ${renderSecurity(operation)}</p>
${renderList(
  "Parameters",
  own.map((one) => renderField(one.name, one.schema, { ...one, document })),
)}
${body ? renderFields("Body", body.schema, document) : ""}
${renderSamples(operation)}
${answer ? renderFields(`Response ${status}`, answer.schema, document) : ""}
${answer?.example === undefined ? "" : renderCode("Example response", JSON.stringify(answer.example, null, 2))}
${renderErrors(responses)}
</article>`;
}

function renderSecurity({ security }: Operation): string {
  const names: Record<string, string> = {
    secretKey: "X-Secret-Key",
    publishableKey: "X-Publishable-Key",
    clientSecret: "X-Client-Secret",
    session: "Authorization: Bearer",
  };
  const ways = security.map((way) =>
    Object.keys(way)
      .map((name) => `<code>${names[name]}</code>`)
      .join(" with "),
  );
  return ways.length === 0 ? "No key is needed." : `Header: ${ways.join(", or ")}.`;
}

function renderFields(title: string, schema: Json, document: Document): string {
  return renderList(title, listFields(schema, document, ""));
}

function renderList(title: string, items: string[]): string {
  return items.length === 0 ? "" : `<h4>${title}</h4><dl>${items.join("")}</dl>`;
}

function listFields(schema: Json, document: Document, before: string, depth = 0): string[] {
  const resolved = resolve(schema, document);
  const shapes = (resolved.anyOf ?? []) as Json[];
  if (shapes.length > 0) {
    const all = shapes.flatMap((shape) => listFields(shape, document, before, depth));
    return [...new Set(all)];
  }
  if (resolved.type === "array") {
    return listFields(resolved.items as Json, document, `${before}[].`, depth);
  }
  const required = new Set((resolved.required ?? []) as string[]);
  return Object.entries((resolved.properties ?? {}) as Record<string, Json>).flatMap(
    ([name, field]) => {
      const own = renderField(before + name, field, { required: required.has(name), document });
      const inside = resolve(field, document);
      const nested = inside.type === "array" ? `${before}${name}[].` : `${before}${name}.`;
      const target = inside.type === "array" ? (inside.items as Json) : inside;
      return [
        own,
        ...(depth < DEPTH_MAX ? listFields(target ?? {}, document, nested, depth + 1) : []),
      ];
    },
  );
}

function renderField(
  name: string,
  schema: Json,
  {
    required,
    document,
    description,
  }: { required?: boolean; document: Document; description?: string },
): string {
  const said = description ?? (schema.description as string | undefined);
  const needed = required ? ", required" : "";
  return `<dt><code>${escapeHtml(name)}</code> <span>${describeType(resolve(schema, document), document)}${needed}</span></dt><dd>${prose(said)}</dd>`;
}

function describeType(schema: Json, document: Document): string {
  const shapes = schema.anyOf as Json[] | undefined;
  if (shapes)
    return [...new Set(shapes.map((one) => describeType(resolve(one, document), document)))].join(
      " or ",
    );
  if (schema.enum) return (schema.enum as unknown[]).map(escapeHtml).join(" | ");
  if (schema.type === "array")
    return `list of ${describeType(resolve((schema.items ?? {}) as Json, document), document)}`;
  return escapeHtml(schema.format ?? schema.type ?? "any");
}

function resolve(schema: Json, document: Document): Json {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(`${schema.$ref ?? ""}`)?.[1];
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema };
}

/** Each language behind a summary of its own, because the page has no scripts; the first one is open. */
function renderSamples(operation: Operation): string {
  const samples = operation["x-codeSamples"].map(
    ({ label, source }, at) =>
      `<details${at === 0 ? " open" : ""}><summary>${label}</summary><pre><code>${escapeHtml(source)}</code></pre></details>`,
  );
  return `<h4>Example</h4>${samples.join("")}`;
}

function renderCode(title: string, code: string): string {
  return `<h4>${title}</h4><pre><code>${escapeHtml(code)}</code></pre>`;
}

function renderErrors(responses: Record<string, Document>): string {
  const codes = Object.entries(responses).flatMap(([status, { headers }]) =>
    ((headers?.["X-Error-Code"]?.schema.examples ?? []) as string[]).map(
      (code) => `<li>${status} <a href="/docs/errors#${code}"><code>${code}</code></a></li>`,
    ),
  );
  return codes.length === 0
    ? ""
    : `<details><summary>Errors</summary><ul class="codes">${codes.join("")}</ul></details>`;
}
