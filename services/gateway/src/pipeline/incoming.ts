import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../keys/caller.ts";
import type { Params } from "./route.ts";

/** A request, and what the product knows about it. */
export interface Incoming {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  params: Params;
  path: string;
  queryText: string;
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
  /** When it arrived, on the clock of performance.now. */
  arrivedMs: number;
  /** Set once the key is known. */
  caller?: Caller;
}
