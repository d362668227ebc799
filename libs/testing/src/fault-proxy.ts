// A provider with faults: a loopback proxy in front of a real node. The node answers correctly; the proxy delays, cuts,
// empties or changes its answers, as the test orders.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PATIENCE_MS } from "./patience.ts";

export type Fault =
  /** Takes the request and never answers. */
  | { kind: "stall" }
  /** Closes the connection. */
  | { kind: "hang-up" }
  | { kind: "status"; status: number; body?: string }
  /** An answer that is no JSON-RPC: HTML, half an object. */
  | { kind: "text"; body: string }
  /** The right answer to another request. */
  | { kind: "wrong-id" }
  /** A JSON-RPC error. */
  | { kind: "error"; code: number }
  /** An answer that differs from that of the node. */
  | { kind: "change"; change: (result: unknown, params: unknown[]) => unknown };

export interface FaultRule {
  fault: Fault;
  /** Absent: all. */
  methods?: readonly string[];
  /** Called for each question with its parameters; absent: always. */
  when?: (params: unknown[]) => boolean;
}

export interface FaultProxy {
  readonly url: string;
  /** Requests that arrived, by method or in total. */
  calls(method?: string): number;
  /**
   * From now on until healed: a service reads from many places, so no reader can be counted. The newest rule that fits
   * decides.
   */
  fail(fault: Fault, where?: Omit<FaultRule, "fault">): void;
  /** Answers as a node that is so many blocks behind. */
  lag(blocks: number): void;
  heal(): void;
  stop(): Promise<void>;
}

interface Question {
  id: number;
  method: string;
  params: unknown[];
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let rules: FaultRule[] = [];
  let lagging = 0;
  const seen = new Map<string, number>();

  function faultFor({ method, params }: Question): Fault | undefined {
    return rules.findLast(
      ({ methods, when }) => (methods?.includes(method) ?? true) && (when?.(params) ?? true),
    )?.fault;
  }

  const server = createServer((request, response) => {
    async function serve() {
      const questions = await readQuestions(request);
      function result(asked: Question) {
        return lagging > 0 ? askBehind(target, asked, lagging) : ask(target, asked);
      }

      const faults = questions.map((question) => {
        const { method } = question;
        seen.set(method, (seen.get(method) ?? 0) + 1);
        return faultFor(question);
      });
      await answer(response, { questions, faults, askNode: result });
    }

    // Also where the caller has gone before its request was there.
    serve().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls: (method) =>
      method === undefined
        ? [...seen.values()].reduce((sum, count) => sum + count, 0)
        : (seen.get(method) ?? 0),
    fail: (fault, where = {}) => {
      rules.push({ ...where, fault });
    },
    lag: (blocks) => {
      lagging = blocks;
    },
    heal: () => {
      rules = [];
      lagging = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One, or those of a batch. */
async function readQuestions(request: IncomingMessage): Promise<Question[]> {
  let body = "";
  for await (const chunk of request) body += chunk;
  const parsed = JSON.parse(body) as Question | Question[];
  return Array.isArray(parsed) ? parsed : [parsed];
}

type Ask = (question: Question) => Promise<object>;

/** A fault of the connection is that of the whole request; any other is that of one question in it. */
async function answer(
  response: ServerResponse,
  {
    questions,
    faults,
    askNode,
  }: { questions: Question[]; faults: (Fault | undefined)[]; askNode: Ask },
): Promise<void> {
  for (const fault of faults) {
    switch (fault?.kind) {
      case "stall":
        return;
      case "hang-up":
        return void response.destroy();
      case "status":
        response.statusCode = fault.status;
        return void response.end(fault.body ?? "");
      case "text":
        return void response.end(fault.body);
    }
  }
  const answers = await Promise.all(
    questions.map((question, at) => answerOne(question, faults[at], askNode)),
  );
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(questions.length === 1 ? answers[0] : answers));
}

async function answerOne(
  question: Question,
  fault: Fault | undefined,
  askNode: Ask,
): Promise<object> {
  const { id, params } = question;
  if (fault?.kind === "error") {
    return { jsonrpc: "2.0", id, error: { code: fault.code, message: "refused" } };
  }
  const answered = await askNode(question);
  if (fault?.kind === "wrong-id") return { ...answered, id: id + 1 };
  if (fault?.kind !== "change") return { ...answered, id };
  const { result } = answered as { result: unknown };
  return { jsonrpc: "2.0", id, result: fault.change(result, params) };
}

async function ask(target: string, question: Question): Promise<object> {
  const response = await fetch(target, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return (await response.json()) as object;
}

/** What a node said when its head was so many blocks lower: later blocks and what is in them are unknown to it. */
async function askBehind(target: string, question: Question, blocks: number): Promise<object> {
  async function call(method: string, params: unknown[]) {
    const answered = (await ask(target, { ...question, method, params })) as { result: unknown };
    return answered.result;
  }

  const { id, method, params } = question;
  const head = Number(await call("eth_blockNumber", [])) - blocks;
  const at = `0x${Math.max(head, 0).toString(16)}`;
  function reply(result: unknown) {
    return { jsonrpc: "2.0", id, result };
  }

  switch (method) {
    case "eth_blockNumber":
      return reply(at);
    case "eth_getBlockByNumber":
      if (params[0] === "latest") return reply(await call(method, [at, params[1]]));
      return Number(params[0]) > head ? reply(null) : ask(target, question);
    case "eth_getTransactionReceipt":
    case "eth_getTransactionByHash": {
      const found = (await call(method, params)) as { blockNumber: string | null } | null;
      return reply(found !== null && Number(found.blockNumber) > head ? null : found);
    }
    case "eth_getLogs": {
      const [{ toBlock }] = params as [{ toBlock?: string }];
      // Some nodes say nothing about a range that they do not have, instead of refusing it.
      return Number(toBlock) > head ? reply([]) : ask(target, question);
    }
    case "eth_getTransactionCount":
    case "eth_call":
    case "eth_getCode":
      return reply(await call(method, [params[0], params[1] === "latest" ? at : params[1]]));
    default:
      return ask(target, question);
  }
}
