// The API reference as one page without scripts, made from the OpenAPI document.
import { escapeHtml } from "../html.ts";
import { renderIcon } from "../site.ts";

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the document is read as its readers do, by path
type Document = any;

const METHODS = ["get", "post", "put", "delete"];
const VERBS: Record<string, string> = { delete: "DEL" };
const DEPTH_MAX = 3;
/** Code in backquotes, as the descriptions have it. */
function prose(text: unknown): string {
  return escapeHtml(text ?? "").replace(/`([^`]+)`/g, "<code>$1</code>");
}

export interface Page {
  title: string;
  lead: string;
  /** Languages among which the reader chooses; none where there are no samples. */
  languages: readonly string[];
  /** Links to the page's parts. */
  side: string;
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
      ({ operationId, method, summary }) =>
        `<a href="#${operationId}">${escapeHtml(summary)}${renderVerb(method)}</a>`,
    );
    return `<h2>${escapeHtml(tag)}</h2>${items.join("")}`;
  });
  const sections = tags.map((tag) => {
    const articles = ofTag(tag).map((operation) => renderOperation(operation, document));
    return `<section><h2>${escapeHtml(tag)}</h2>${articles.join("")}</section>`;
  });
  const labels = operations.flatMap((one) => one["x-codeSamples"].map(({ label }) => label));
  return {
    title: "API reference",
    lead: prose(document.info.description),
    languages: [...new Set(labels)],
    side: contents.join(""),
    body: sections.join(""),
  };
}

function renderVerb(method: string): string {
  return `<span class="verb ${method}">${VERBS[method] ?? method.toUpperCase()}</span>`;
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
  const example = answer?.example;
  return `<article id="${operationId}"><div class="two">
<div><h3>${escapeHtml(summary)}</h3>
<p class="path">${renderVerb(method)} ${escapeHtml(path)}</p>
${operation.deprecated ? "<p><strong>Deprecated.</strong></p>" : ""}
<p class="text">${prose(operation.description)}</p>
<p class="needs">${renderIcon("key")} ${renderSecurity(operation)}</p>
${renderList(
  "Parameters",
  own.map((one) => renderField(one.name, one.schema, { ...one, document })),
)}
${body ? renderList("Body", listFields(body.schema, document, "")) : ""}
${answer ? renderFolded(`Response ${status}`, listFields(answer.schema, document, "")) : ""}
${renderErrors(responses)}</div>
<div class="ref-code">${renderSamples(operation)}
${example === undefined ? "" : renderCode(`Response ${status}`, highlightJson(example))}</div>
</div></article>`;
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
  return ways.length === 0 ? "No key is needed" : ways.join(", or ");
}

function renderList(title: string, items: string[]): string {
  return items.length === 0 ? "" : `<h4>${title}</h4><dl>${items.join("")}</dl>`;
}

function renderFolded(title: string, items: string[]): string {
  return items.length === 0
    ? ""
    : `<details><summary>${title}</summary><dl>${items.join("")}</dl></details>`;
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
  const type = describeType(resolve(schema, document), document);
  const needed = required ? ` <span class="must">required</span>` : "";
  return `<div class="param"><dt><b>${escapeHtml(name)}</b> <span class="type">${type}</span>${needed}</dt><dd>${prose(said)}</dd></div>`;
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
  return escapeHtml(schema.format ?? [schema.type ?? "any"].flat().join(" or "));
}

function resolve(schema: Json, document: Document): Json {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(`${schema.$ref ?? ""}`)?.[1];
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema };
}

/** One language is shown, which is chosen for the whole page. */
function renderSamples(operation: Operation): string {
  return operation["x-codeSamples"]
    .map(
      ({ label, source }, at) =>
        `<div class="sample of-${at}">${renderCode(escapeHtml(label), escapeHtml(source))}</div>`,
    )
    .join("");
}

/** People who use a keyboard scroll the code, so it takes the focus. */
function renderCode(title: string, code: string): string {
  return `<div class="code"><p class="code-head">${title}</p><pre tabindex="0">${code}</pre></div>`;
}

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?|true|false|null/g;

function highlightJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(TOKENS, (token, text, colon) => {
    if (colon !== undefined) return `<span class="n">${escapeHtml(text)}</span>${colon}`;
    return `<span class="${text === undefined ? "d" : "s"}">${escapeHtml(token)}</span>`;
  });
}

function renderErrors(responses: Record<string, Document>): string {
  const codes = Object.entries(responses).flatMap(([status, { headers }]) =>
    ((headers?.["X-Error-Code"]?.schema.examples ?? []) as string[]).map(
      (code) =>
        `<li><span class="type">${status}</span><a href="/docs/errors#${code}">${code}</a></li>`,
    ),
  );
  return codes.length === 0
    ? ""
    : `<details><summary>Errors</summary><ul class="codes">${codes.join("")}</ul></details>`;
}
