// What every call of the client takes and gives back.

/** What the headers of an answer say. */
export interface ResponseInfo {
  readonly status: number;
  /** Names the request in the service's log; support asks for it. */
  readonly requestId: string | undefined;
  /** Whether it is the answer to an earlier request under the same idempotency key. */
  readonly replayed: boolean;
  /** The version of the interface that the answer is in. */
  readonly version: string | undefined;
  /** E.g. names a field of the body that the service does not know. */
  readonly warning: string | undefined;
  /** How many tries it took. */
  readonly tries: number;
}

/** `$response` is not enumerable, so an answer that is stored or compared is the body alone. */
export type Answer<Body> = Body & { readonly $response: ResponseInfo };

export interface CallOptions<Query = never> {
  /** Names the request of a POST; without it the client makes one for all tries of this call. */
  idempotencyKey?: string | undefined;
  /** Ends the call, also between two tries; its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** For all tries together; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** Tries after the first one; 2 by default. */
  retriesMax?: number | undefined;
  /** The query of a call that has a body as well. */
  query?: Query | undefined;
}

/** A list: `for await` walks all of it, however many pages that takes. */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  /** The one page that the query names. */
  page(): Promise<Answer<Page>>;
  /** Id of the last item that was handed out. `list({ after: cursor })` goes on behind it, in another process too. */
  readonly cursor: string | undefined;
}
