import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import { createFindRequest } from "../../request-logs/entries.ts";
import * as field from "../fields.ts";
import { renderFound, searchResult } from "./response.ts";
import { searchRecords } from "./search.ts";

const LIMIT_MAX = 20;

export const searchRoute = route({
  auth: "secret",
  tag: "Search",
  limit: "standard",
  scope: "payments:read",
  summary: "Find records by an id, hash, address, order or name",
  query: z.object({
    limit: field.queryInteger(LIMIT_MAX).optional().describe("Maximum number of records."),
    q: field
      .reference(128)
      .describe(
        "An id, transaction hash, wallet, order, request id or beginning of a customer's name.",
      ),
  }),
  response: searchResult,
  success: 200,
  handle: async (call, { catalog, pool }) => {
    const { q, limit = LIMIT_MAX } = call.query;
    const findRequest = createFindRequest(pool, call.caller);
    const from = { catalog, findRequest };
    const { found, incomplete } = await searchRecords(call, from, { q, limit });
    return { data: found.map(renderFound), incomplete };
  },
});
