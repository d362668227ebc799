// Options and responses of every call of the client.

/** The headers of a response. */
export interface ResponseInfo {
  readonly status: number;
  /** Identifies the request in the log of the service, for support. */
  readonly requestId: string | undefined;
  /** Whether it is the first response of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  /** The version of the API. */
  readonly version: string | undefined;
  /** E.g. names a field of the body that the service does not know. */
  readonly warning: string | undefined;
  /** Number of tries. */
  readonly tries: number;
}

/** `$response` is not enumerable, so a stored or compared response is the body alone. */
export type Answer<Body> = Body & { readonly $response: ResponseInfo };

export interface CallOptions<Query = never> {
  /** Idempotency key of a POST; by default the client makes one for all tries of the call. */
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
