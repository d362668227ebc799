// The spans of a call on both of its sides. A list is of many requests, each with a trace of its own.
import { splitTrace, traceAll, withActiveTrace } from "@pay/process";
import type { CallContext } from "./context.ts";

/** Of a request or of an item in a list. */
interface Item {
  requestId?: string;
}

type Context = Partial<CallContext>;

function isTraced(requestId: string): boolean {
  return splitTrace(requestId).traceparent !== undefined;
}

/** The caller's side. Its messages stay as they are; what is sent continues its spans. */
export function traceClient<R>(
  name: string,
  { request, context }: { request: object; context: Context },
  send: (request: object, context: Context) => Promise<R>,
): Promise<R> {
  const plan = { name, kind: "client" } as const;
  const { requests, requestId = context.requestId } = request as Item & { requests?: Item[] };
  if (requests === undefined) {
    return traceAll(plan, [withActiveTrace(requestId ?? "")], ([own = ""]) =>
      send(request, isTraced(own) ? { ...context, requestId: own } : context),
    );
  }
  const given = requests.map((item) => item.requestId ?? "");
  return traceAll(plan, given, (own) => {
    if (own === given) return send(request, context);
    const items = requests.map((item, at) => ({ ...item, requestId: own[at] }));
    return send({ ...request, requests: items }, context);
  });
}

/** The other side: what the request causes there continues its spans, so its own message is changed. */
export function traceServer<R>(
  name: string,
  { request, context }: { request: object; context: CallContext },
  handle: (context: CallContext) => Promise<R>,
): Promise<R> {
  const plan = { name, kind: "server" } as const;
  const message = request as Item & { requests?: Item[] };
  if (message.requests === undefined) {
    return traceAll(plan, [context.requestId], ([requestId = ""]) => {
      if (!isTraced(requestId)) return handle(context);
      if (message.requestId) message.requestId = requestId;
      return handle({ ...context, requestId });
    });
  }
  const items = message.requests;
  const given = items.map((item) => item.requestId ?? "");
  return traceAll(plan, given, (own) => {
    items.forEach((item, at) => {
      if (own[at]) item.requestId = own[at];
    });
    return handle(context);
  });
}
