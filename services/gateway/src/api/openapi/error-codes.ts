// Errors of one status are a few responses for all operations. The examples of a response are codes that each of its
// operations can give; an operation lists its other codes itself, by status.
import { type Json, mapValues } from "./json-schema.ts";

/** The field of an operation that lists its other codes. */
const OWN_CODES = "x-error-codes";
const CODE_HEADER = "X-Error-Code";
/** So many operations with the same codes have a response of their own. */
const OPERATIONS_MIN = 5;

interface ErrorResponse {
  headers?: { [CODE_HEADER]?: { schema: { examples: string[] } } };
}
interface Operation {
  responses: Record<string, ErrorResponse>;
}
type Paths = Record<string, Record<string, Operation>>;
/** By status: lists of codes, the longest first. */
type SharedCodes = ReadonlyMap<string, string[][]>;

export function separateOwnCodes(paths: Json): Json {
  const all = paths as unknown as Paths;
  const shared = findSharedCodes(Object.values(all).flatMap((methods) => Object.values(methods)));
  return mapValues(all, (methods) =>
    mapValues(methods, (operation) => separateInOperation(operation, shared)),
  );
}

/** The codes that all operations with an error of this status have, and the lists that many of them have. */
function findSharedCodes(operations: readonly Operation[]): SharedCodes {
  const lists = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const codes = getCodes(response);
      return codes === undefined ? [] : [{ status, codes: codes.toSorted() }];
    }),
  );
  const found = [...Map.groupBy(lists, ({ status }) => status)].map(([status, ofStatus]) => {
    const [{ codes: first } = { codes: [] }] = ofStatus;
    const common = first.filter((code) => ofStatus.every(({ codes }) => codes.includes(code)));
    const frequent = [...Map.groupBy(ofStatus, ({ codes }) => codes.join()).values()].flatMap(
      (same) => (same.length < OPERATIONS_MIN ? [] : [same[0]?.codes ?? []]),
    );
    return [status, [...frequent, common].toSorted((a, b) => b.length - a.length)] as const;
  });
  return new Map(found);
}

function separateInOperation(operation: Operation, shared: SharedCodes): object {
  const own: Record<string, string[]> = {};
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const codes = getCodes(response);
    const fitting = shared
      .get(status)
      ?.find((list) => list.every((code) => codes?.includes(code) === true));
    if (codes === undefined || fitting === undefined) return [status, response];
    const rest = codes.filter((code) => !fitting.includes(code));
    if (rest.length > 0) own[status] = rest;
    const schema = { type: "string", ...(fitting.length > 0 && { examples: fitting }) };
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
