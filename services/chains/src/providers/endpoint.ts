// One JSON-RPC provider over HTTP: several calls in one request, and responses that must match their calls. Errors and
// logs name a provider by its number, because its address may contain a key.
import { traceStep } from "@pay/process";
import { classifyRpcError } from "./classify-rpc-error.ts";
import { createExchange, type EndpointOptions } from "./exchange.ts";
import { RpcError } from "./rpc-error.ts";

export interface Call {
  method: string;
  params: readonly unknown[];
}

export interface Answers {
  /** In the order of the calls. */
  values: unknown[];
  /** Of the whole answer, unzipped. */
  bytes: number;
}

export interface Endpoint {
  /** E.g. "provider 2 of chain 8453": for logs and errors. */
  readonly name: string;
  /** Bound on one request. */
  readonly timeoutMs: number;
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Calls that travel as one request; all are answered, or none. */
  callMany(calls: readonly Call[]): Promise<Answers>;
  /** The same where each has its own end: an RpcError stands in the place of a refusal. */
  callEach(calls: readonly Call[]): Promise<unknown[]>;
  close(): void;
}

const HTTP_OK = 200;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_UNAVAILABLE = 503;

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { name, timeoutMs } = options;
  const { exchange, close } = createExchange(options);
  const attributes = { "rpc.system": "jsonrpc", "peer.service": name };
  let lastId = 0;

  async function send(what: string, request: object): Promise<{ answer: unknown; bytes: number }> {
    const { status, pauseMs, body } = await traceStep(
      () => ({ name: what, kind: "client", attributes }),
      () => exchange(what, JSON.stringify(request)),
    );
    const about = `${name}, ${what}`;
    const isPaused = status === HTTP_UNAVAILABLE && pauseMs !== undefined;
    if (status === HTTP_TOO_MANY_REQUESTS || isPaused) {
      throw new RpcError("busy", about, status, { pauseMs });
    }
    const answer = parse(body);
    throwRefusal(answer, about);
    if (status !== HTTP_OK) throw new RpcError("http", about, status);
    return { answer, bytes: body.length };
  }

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = ++lastId;
    const { answer } = await send(method, { jsonrpc: "2.0", id, method, params });
    return computeResult(answer, id, method);
  }

  function computeResult(answer: unknown, id: number, method: string): unknown {
    if (isObject(answer) && answer.id === id && "result" in answer) return answer.result;
    throw new RpcError("malformed", `${name}, ${method}`);
  }

  async function callMany(calls: readonly Call[]): Promise<Answers> {
    const answers = await askTogether(calls);
    for (const answer of answers.values) if (answer instanceof RpcError) throw answer;
    return answers;
  }

  async function callEach(calls: readonly Call[]): Promise<unknown[]> {
    const [first] = calls;
    if (first === undefined) return [];
    if (calls.length === 1) return [await call(first.method, first.params).catch(refusal)];
    return (await askTogether(calls)).values;
  }

  async function askTogether(calls: readonly Call[]): Promise<Answers> {
    const requests = calls.map((one) => ({ jsonrpc: "2.0", id: ++lastId, ...one }));
    const [first] = requests;
    if (first === undefined) return { values: [], bytes: 0 };
    // Not every node takes a list, and this one needs none.
    const isOne = requests.length === 1;
    const { answer, bytes } = await send(first.method, isOne ? first : requests);
    const list = isOne ? [answer] : answer;
    if (!Array.isArray(list)) throw new RpcError("malformed", `${name}, ${first.method}`);
    const answers = new Map(list.map((one) => [isObject(one) ? one.id : undefined, one]));
    const values = requests.map(({ id, method }) => {
      try {
        const one: unknown = answers.get(id);
        throwRefusal(one, `${name}, ${method}`);
        return computeResult(one, id, method);
      } catch (error) {
        return refusal(error);
      }
    });
    return { values, bytes };
  }

  return { name, timeoutMs, call, callMany, callEach, close };
}

function refusal(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  throw error;
}

function throwRefusal(answer: unknown, what: string): void {
  const error = isObject(answer) ? answer.error : undefined;
  if (!isObject(error)) return;
  const { kind, blocksMax } = classifyRpcError(error);
  throw new RpcError(kind, what, typeof error.code === "number" ? error.code : 0, { blocksMax });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
