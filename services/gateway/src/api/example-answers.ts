// The form of the examples of the documentation.

/** A request and an answer by route. A test holds them against the schemas. */
export type Examples = Record<string, { request?: object; response: unknown }>;

/** The only page of a list. */
export function page(...data: object[]): object {
  return { data, total: data.length, page: 1, limit: 20 };
}
