// A client bound to one request: what every message of the request carries is set here.
import type { Mode } from "@pay/proto";
import type { CallOptions } from "@pay/rpc";

/** Whose data a request is about, and which request it is. */
export interface RequestContext {
  tenant: { projectId: string; mode: Mode };
  requestId: string;
}

interface Binding extends RequestContext {
  options: CallOptions;
}

/** The fields of a message that the binding does not set. */
type Fields<M> = Exclude<keyof M, "$typeName" | "tenant" | "requestId">;

/**
 * A message without the fields that the binding sets. A field that is undefined is not sent, but it is named: a field
 * that
 * is new in a message, and forgotten where the message is made, does not compile. Who reads one record names what it
 * has.
 */
type Unbound<M, Method> = M extends { $typeName: string }
  ? never
  : Method extends `get${string}`
    ? { [K in Fields<M>]?: M[K] | undefined }
    : { [K in Fields<M>]-?: M[K] | undefined };

/** The client's methods, each with the message alone. They need their object, so they cannot be taken from it. */
export type Bound<C> = {
  [K in keyof C]: C[K] extends (message: infer M, options?: CallOptions) => infer A
    ? (this: Bound<C>, message: Unbound<M, K>) => A
    : never;
};

type Send = (message: object, options: CallOptions) => unknown;

/** The methods stand on one prototype, so that a request costs one object per client and no closure. */
export function createBinder<C extends object>(client: C): (binding: Binding) => Bound<C> {
  const sends = Object.entries(client as Record<string, Send>);
  const methods = Object.fromEntries(sends.map(([name, send]) => [name, boundMethod(send)]));
  return (binding) => Object.assign(Object.create(methods), { binding }) as Bound<C>;
}

function boundMethod(send: Send) {
  return function (this: { binding: Binding }, message: object): unknown {
    const { tenant, requestId, options } = this.binding;
    return send({ ...message, tenant, requestId }, options);
  };
}
