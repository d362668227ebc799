// A route that costs money, in servers of three forms.
import type { Pay } from "../client.ts";
import {
  createPaymentTaker,
  type Outcome,
  type Price,
  type SettledPayment,
} from "./take-payment.ts";

/** As Express has it. */
export interface NodeRequest {
  method: string;
  protocol: string;
  originalUrl: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface NodeResponse {
  locals: Record<string, unknown> & { payment: SettledPayment };
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** As Hono has it. */
export interface HonoContext {
  req: { raw: Request };
  res: Response;
  set(name: "payment", value: SettledPayment): void;
  header(name: string, value: string): void;
}

export interface PaidRoute {
  /** A handler of requests, for Bun, Deno, Workers and Next.js. */
  fetch<Rest extends unknown[]>(
    handle: (
      request: Request,
      payment: SettledPayment,
      ...rest: Rest
    ) => Response | Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
  /** Middleware of Express; the handler finds `response.locals.payment`. */
  express(
    request: NodeRequest,
    response: NodeResponse,
    next: (error?: unknown) => void,
  ): Promise<void>;
  /** Middleware of Hono; the handler finds `context.get("payment")`. */
  hono(context: HonoContext, next: () => Promise<void>): Promise<Response | undefined>;
}

/**
 * Who requests the route pays first, as clients of x402 do. The key of `pay` needs `payments:read` and
 * `payments:write`.
 */
export function requirePayment(pay: Pick<Pay, "x402">, price: Price): PaidRoute {
  const takePayment = createPaymentTaker(pay, price);

  function takeFrom({ method, url, headers }: Request): Promise<Outcome> {
    const signature = headers.get("PAYMENT-SIGNATURE") ?? undefined;
    return takePayment({ method, url, signature });
  }

  return {
    fetch(handle) {
      return async (request, ...rest) => {
        const outcome = await takeFrom(request);
        if (!("payment" in outcome)) return toResponse(outcome);
        const made = await handle(request, outcome.payment, ...rest);
        const response = new Response(made.body, made);
        addHeaders(response.headers, outcome, (name, value) => response.headers.set(name, value));
        return response;
      };
    },

    async express({ method, protocol, originalUrl, headers }, response, next) {
      const url = `${protocol}://${headers.host}${originalUrl}`;
      let outcome: Outcome;
      try {
        const signature = headers["payment-signature"]?.toString();
        outcome = await takePayment({ method, url, signature });
      } catch (error) {
        next(error);
        return;
      }
      for (const [name, value] of Object.entries(outcome.headers)) response.setHeader(name, value);
      if ("payment" in outcome) {
        response.locals.payment = outcome.payment;
        next();
        return;
      }
      response.statusCode = outcome.status;
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ message: outcome.message }));
    },

    async hono(context, next) {
      const outcome = await takeFrom(context.req.raw);
      if (!("payment" in outcome)) return toResponse(outcome);
      context.set("payment", outcome.payment);
      await next();
      addHeaders(context.res.headers, outcome, (name, value) => context.header(name, value));
      return undefined;
    },
  };
}

function toResponse({ status, message, headers }: Extract<Outcome, { status: number }>): Response {
  return Response.json({ message }, { status, headers });
}

/** What the handler has set stays. */
function addHeaders(
  present: Headers,
  { headers }: Outcome,
  set: (name: string, value: string) => void,
): void {
  for (const [name, value] of Object.entries(headers)) if (!present.has(name)) set(name, value);
}
