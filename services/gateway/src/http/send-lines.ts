// An answer that is sent as it comes, a page in memory at a time. A client that does not read is cut off, and so is an
// answer that fails on the way: without its end, the client knows that it is not whole.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { endConnection } from "./respond.ts";

const UNREAD_MS = 30_000;

export interface Lines {
  contentType: string;
  /** Text in pieces of any length. */
  pieces: AsyncIterable<string>;
}

/** The first piece is made before anything is sent, so that a refusal is an answer of its own. */
export async function sendLines(
  response: ServerResponse,
  { contentType, pieces }: Lines,
  stopping: AbortSignal,
): Promise<void> {
  const made = pieces[Symbol.asyncIterator]();
  let next = await made.next();
  endConnection(response, stopping);
  response.statusCode = 200;
  response.setHeader("Content-Type", contentType);
  try {
    while (!next.done && !response.destroyed) {
      if (!response.write(next.value)) await drained(response);
      next = await made.next();
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await made.return?.();
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const signal = AbortSignal.timeout(UNREAD_MS);
  const closed = new AbortController();
  const either = AbortSignal.any([signal, closed.signal]);
  function stop() {
    closed.abort();
  }

  response.once("close", stop);
  try {
    await once(response, "drain", { signal: either });
  } catch {
    response.destroy();
  } finally {
    response.off("close", stop);
  }
}
