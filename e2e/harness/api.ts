import type { Credentials } from "@pay/standalone";
import { PATIENCE_MS } from "@pay/testing";

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: stories read the fields they expect, and fail where they are missing
  body: any;
  headers: Headers;
}

export interface Api {
  readonly credentials: Credentials;
  /** The same with another secret key. */
  withKey(secretKey: string): Api;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
}

/**
 * A merchant's REST client. It sends the secret key unless the call has its own key, and the headers that a proxy in
 * front of the product adds.
 */
export function createApi(credentials: Credentials, added: Record<string, string> = {}): Api {
  async function call(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const hasKey = Object.keys(headers).some((name) => /^x-(secret|publishable)-key$/i.test(name));
    const response = await fetch(credentials.baseUrl + path, {
      method,
      headers: {
        ...(hasKey ? {} : { "X-Secret-Key": credentials.secretKey }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...added,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? undefined : JSON.parse(text),
      headers: response.headers,
    };
  }

  return {
    credentials,
    withKey: (secretKey) => createApi({ ...credentials, secretKey }, added),
    get: (path, headers) => call("GET", path, undefined, headers),
    post: (path, body, headers) => call("POST", path, body, headers),
    put: (path, body, headers) => call("PUT", path, body, headers),
    delete: (path, headers) => call("DELETE", path, undefined, headers),
  };
}
