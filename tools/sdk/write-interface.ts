// The files of the SDK that follow from the interface's document: the types of each resource with its methods, and the
// table by which the client sends them.
import {
  capital,
  findQuery,
  getName,
  isValue,
  type Json,
  kebabCase,
  listMarks,
  type Operation,
  type Placed,
  toAnswer,
} from "./operation.ts";
import { writeMethods } from "./write-methods.ts";
import { describeType, listFields, merged, writeRequest } from "./write-types.ts";

type Owners = ReadonlyMap<string, string>;

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

export const HEAD =
  "// Written by `npm run sdk` from the OpenAPI document; a test compares the two.\n";

/** Files by name. */
export function interfaceFiles(document: Document, version: string): Map<string, string> {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({
        ...one,
        method: method.toUpperCase(),
        path,
      })),
    )
    .filter(isValue);
  const resources = Map.groupBy(operations, ({ operationId }) => operationId.split(".")[0] ?? "");
  const owners = findOwners(resources, document);
  const files = new Map<string, string>();
  for (const [resource, own] of resources) {
    const records = recordsFile(resource, owners, document);
    if (records !== undefined) files.set(`records/${kebabCase(resource)}.ts`, records);
    files.set(`${kebabCase(resource)}.ts`, methodsFile(resource, own, owners));
  }
  files.set("names.ts", namesFile(files));
  files.set("operations.ts", operationsFile(operations, [...resources.keys()], version));
  return files;
}

/** Which resource declares a schema: the one that answers with it, else one that has it inside an answer. */
function findOwners(resources: ReadonlyMap<string, Placed[]>, document: Document): Owners {
  const owners = new Map<string, string>();
  for (const [resource, operations] of resources) {
    for (const one of operations) {
      describeType(toAnswer(one), (name) => owners.set(name, owners.get(name) ?? resource));
    }
  }
  // What is added on the way is visited as well.
  for (const [name, resource] of owners) {
    declaration(name, document, (inner) => owners.set(inner, owners.get(inner) ?? resource));
  }
  return owners;
}

function declaration(
  name: string,
  { components }: Document,
  mention: (name: string) => void,
): string {
  const schema = components.schemas[name] ?? {};
  const shapes = (schema.anyOf as { $ref: string }[] | undefined)?.map(
    ({ $ref }) => components.schemas[$ref.replace("#/components/schemas/", "")] ?? {},
  );
  return `export interface ${name} ${listFields(shapes ? merged(shapes) : schema, mention)}\n`;
}

/** Everything that has a name, for the package's index. */
function namesFile(files: ReadonlyMap<string, string>): string {
  const lines = [...files].map(([name, text]) => {
    const names = [...text.matchAll(/^export interface (\w+)/gm)].map(([, one]) => one);
    return `export type { ${names.sort().join(", ")} } from "./${name}";`;
  });
  return `${HEAD}\n${lines.join("\n")}\n`;
}

/** Undefined where other resources declare all of it. */
function recordsFile(resource: string, owners: Owners, document: Document): string | undefined {
  const own = [...owners].filter(([, owner]) => owner === resource).map(([name]) => name);
  if (own.length === 0) return undefined;
  const mentioned = new Set<string>();
  const declared = own.map((name) => declaration(name, document, (one) => mentioned.add(one)));
  const foreign = [...mentioned].filter((name) => !own.includes(name));
  return [HEAD, ...listImports(foreign, owners, "./"), "", ...declared].join("\n");
}

function methodsFile(resource: string, operations: readonly Placed[], owners: Owners): string {
  const mentioned = new Set<string>();
  const requests = operations.flatMap((one) => requestTypes(one, (name) => mentioned.add(name)));
  const methods = writeMethods(resource, operations, (name) => mentioned.add(name));
  const calls = ["Answer", "CallOptions", "Pages"].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(methods),
  );
  const imports = [
    `import type { ${calls.join(", ")} } from "../calls.ts";`,
    ...listImports([...mentioned], owners, "./records/"),
  ];
  return [HEAD, ...imports, "", ...requests, methods].join("\n");
}

function listImports(names: readonly string[], owners: Owners, folder: string): string[] {
  const byOwner = Map.groupBy(names, (name) => owners.get(name) ?? "");
  return [...byOwner].map(
    ([owner, own]) =>
      `import type { ${own.sort().join(", ")} } from "${folder}${kebabCase(owner)}.ts";`,
  );
}

function requestTypes(operation: Operation, mention: (name: string) => void): string[] {
  const name = getName(operation.operationId);
  const query = findQuery(operation);
  const body = operation.requestBody?.content["application/json"]?.schema;
  return [
    ...(body ? [`export interface ${name}Body ${writeRequest(body, mention)}\n`] : []),
    ...(query ? [`export interface ${name}Query ${writeRequest(query, mention)}\n`] : []),
  ];
}

function operationsFile(
  operations: readonly Placed[],
  resources: readonly string[],
  version: string,
): string {
  const imports = resources.map(
    (one) => `import type { ${capital(one)} } from "./${kebabCase(one)}.ts";`,
  );
  const fields = resources.map((one) => `readonly ${one}: ${capital(one)};`);
  const table = operations.map(
    (one) => `"${one.operationId}": "${[one.method, one.path, ...listMarks(one)].join(" ")}",`,
  );
  return `${HEAD}${imports.join("\n")}

/** The version of the interface that these types describe. */
export const VERSION = "${version}";

export interface Resources {
${fields.join("\n")}
}

/** Method, path, and what distinguishes the call. */
export const OPERATIONS: Readonly<Record<string, string>> = {
${table.join("\n")}
};
`;
}
