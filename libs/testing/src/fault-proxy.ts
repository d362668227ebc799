// A provider that misbehaves on purpose: a loopback proxy in front of a real node. What the node says is true;
// what reaches the service under test is late, cut, empty or false, as the test orders.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Fault =
  /** Takes the question and never answers. */
  | { kind: "stall" }
  /** Hangs up. */
  | { kind: "hang-up" }
  | { kind: "status"; status: number; body?: string }
  /** An answer that is no JSON-RPC: HTML, half an object. */
  | { kind: "text"; body: string }
  /** The right answer to another question. */
  | { kind: "wrong-id" }
  /** A JSON-RPC error. */
  | { kind: "error"; code: number }
  /** Something else than the node said. */
  | { kind: "change"; change: (result: unknown, params: unknown[]) => unknown };

export interface FaultRule {
  fault: Fault;
  /** Absent: all. */
  methods?: readonly string[];
  /** Absent: until healed. */
  times?: number;
}

export interface FaultProxy {
  readonly url: string;
  /** Questions that arrived, by method or altogether. */
  calls(method?: string): number;
  /** The newest rule that fits decides. */
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

export const startFaultProxy = async (target: string): Promise<FaultProxy> => {
  let rules: FaultRule[] = [];
  let lagging = 0;
  const seen = new Map<string, number>();

  const faultFor = (method: string): Fault | undefined => {
    const rule = rules.findLast(({ methods }) => methods?.includes(method) ?? true);
    if (rule?.times !== undefined && --rule.times === 0) rules = rules.filter((r) => r !== rule);
    return rule?.fault;
  };

  const server = createServer((request, response) => {
    void readQuestion(request).then(async (question) => {
      seen.set(question.method, (seen.get(question.method) ?? 0) + 1);
      const fault = faultFor(question.method);
      const result = (asked: Question) =>
        lagging > 0 ? askBehind(target, asked, lagging) : ask(target, asked);
      await answer(response, question, fault, result).catch(() => response.destroy());
    });
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
};

const readQuestion = async (request: IncomingMessage): Promise<Question> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return JSON.parse(body) as Question;
};

type Ask = (question: Question) => Promise<object>;

const answer = async (
  response: ServerResponse,
  question: Question,
  fault: Fault | undefined,
  askNode: Ask,
): Promise<void> => {
  const json = (body: object) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  };
  const { id, params } = question;
  switch (fault?.kind) {
    case undefined:
      return json({ ...(await askNode(question)), id });
    case "stall":
      return;
    case "hang-up":
      return void response.destroy();
    case "status":
      response.statusCode = fault.status;
      return void response.end(fault.body ?? "");
    case "text":
      return void response.end(fault.body);
    case "wrong-id":
      return json({ ...(await askNode(question)), id: id + 1 });
    case "error":
      return json({ jsonrpc: "2.0", id, error: { code: fault.code, message: "refused" } });
    case "change": {
      const { result } = (await askNode(question)) as { result: unknown };
      return json({ jsonrpc: "2.0", id, result: fault.change(result, params) });
    }
  }
};

const ask = async (target: string, question: Question): Promise<object> => {
  const response = await fetch(target, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(10_000),
  });
  return (await response.json()) as object;
};

/** What a node said when its head was so many blocks lower: later blocks and what is in them are unknown to it. */
const askBehind = async (target: string, question: Question, blocks: number): Promise<object> => {
  const call = async (method: string, params: unknown[]) => {
    const answered = (await ask(target, { ...question, method, params })) as { result: unknown };
    return answered.result;
  };
  const { id, method, params } = question;
  const head = Number(await call("eth_blockNumber", [])) - blocks;
  const at = `0x${Math.max(head, 0).toString(16)}`;
  const reply = (result: unknown) => ({ jsonrpc: "2.0", id, result });
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
    case "eth_getTransactionCount":
    case "eth_call":
    case "eth_getCode":
      return reply(await call(method, [params[0], params[1] === "latest" ? at : params[1]]));
    default:
      return ask(target, question);
  }
};
