// The methods of a resource, as the SDK declares them.
import {
  capital,
  findQuery,
  getName,
  isWalked,
  type Json,
  type Operation,
  toAnswer,
} from "./operation.ts";
import { describeType } from "./write-types.ts";

interface Methods {
  [name: string]: string | Methods;
}

export function writeMethods(
  resource: string,
  operations: readonly Operation[],
  mention: (name: string) => void,
): string {
  const tree: Methods = {};
  for (const operation of operations) {
    const [, ...names] = operation.operationId.split(".");
    const last = names.pop() ?? "";
    let at = tree;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Methods;
    }
    at[last] = writeSignature(last, operation, mention);
  }
  return `export interface ${capital(resource)} ${written(tree)}\n`;
}

function written(tree: Methods): string {
  const lines = Object.entries(tree).map(([name, one]) =>
    typeof one === "string" ? one : `readonly ${name}: ${written(one)};`,
  );
  return `{\n${lines.join("\n")}\n}`;
}

function writeSignature(
  verb: string,
  operation: Operation,
  mention: (name: string) => void,
): string {
  const { operationId, parameters, requestBody, summary } = operation;
  const name = getName(operationId);
  const query = findQuery(operation);
  const path = parameters
    .filter((one) => one.in === "path")
    .map((one) => `${one.name}: string | number`);
  const parts = [
    ...path.map((one) => (one.startsWith("chainId") ? one : one.replace(" | number", ""))),
    ...(requestBody ? [`body: ${name}Body`] : []),
    ...(query && !requestBody ? [`query${isRequired(query) ? "" : "?"}: ${name}Query`] : []),
    `options?: CallOptions${query && requestBody ? `<${name}Query>` : ""}`,
  ];
  const item = findItem(operation, mention);
  const answer = item ?? `Promise<Answer<${describeType(toAnswer(operation), mention)}>>`;
  return `/** ${summary}. */\n${verb}(${parts.join(", ")}): ${answer};`;
}

function isRequired({ required }: Json): boolean {
  return (required as string[]).length > 0;
}

/** Lists that can be walked. */
function findItem(operation: Operation, mention: (name: string) => void): string | undefined {
  if (!isWalked(operation)) return undefined;
  const list = describeType(toAnswer(operation), mention);
  return `Pages<${list}["data"][number], ${list}>`;
}
