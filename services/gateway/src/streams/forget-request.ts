import type { ServerResponse } from "node:http";

/** What Express and the route's handler have kept with the request and its response. */
const NOTED = { next: undefined, params: {}, route: undefined, _parsedUrl: undefined };

/**
 * Lets go of the request whose answer has begun and goes on for minutes: its headers, and what is known about it. With
 * thousands of such answers that is most of their memory.
 */
export function forgetRequest(response: ServerResponse): void {
  const { req: request } = response;
  request.headers = {};
  request.rawHeaders = [];
  Object.assign(request, NOTED);
  Object.assign(response, { locals: {} });
}
