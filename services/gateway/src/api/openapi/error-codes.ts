// Errors of one status are one response for all operations. Its examples are the codes that each of them can give; an
// operation lists its other codes itself, by status.
import type { Json } from "./json-schema.ts";

/** The field of an operation that lists its other codes. */
const OWN_CODES = "x-error-codes";
const CODE_HEADER = "X-Error-Code";

interface ErrorResponse {
  description: string;
  headers: { [CODE_HEADER]: { schema: { type: string; examples: string[] } } };
}
interface Operation {
  responses: Record<string, ErrorResponse>;
}
type Paths = Record<string, Record<string, Operation>>;

export function separateOwnCodes(paths: Json): Json {
  const common = findCommonCodes(paths as unknown as Paths);
  const separated = Object.entries(paths as unknown as Paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        separateInOperation(operation, common),
      ]),
    ),
  ]);
  return Object.fromEntries(separated);
}

/** By status: the codes of every operation that has an error of this status. */
function findCommonCodes(paths: Paths): Map<string, string[]> {
  const common = new Map<string, string[]>();
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(responses)) {
      const codes = getCodes(response);
      if (codes === undefined) continue;
      const known = common.get(status) ?? codes;
      common.set(
        status,
        known.filter((code) => codes.includes(code)),
      );
    }
  }
  return common;
}

function separateInOperation(operation: Operation, common: Map<string, string[]>): object {
  const own: Record<string, string[]> = {};
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const codes = getCodes(response);
    const shared = common.get(status);
    if (codes === undefined || shared === undefined) return [status, response];
    const rest = codes.filter((code) => !shared.includes(code));
    if (rest.length > 0) own[status] = rest;
    const schema = { type: "string", ...(shared.length > 0 && { examples: shared }) };
    return [status, { ...response, headers: { [CODE_HEADER]: { schema } } }];
  });
  return {
    ...operation,
    responses: Object.fromEntries(responses),
    ...(Object.keys(own).length > 0 && { [OWN_CODES]: own }),
  };
}

function getCodes({ headers }: ErrorResponse): string[] | undefined {
  return headers?.[CODE_HEADER]?.schema.examples;
}
