// A typed bridge from protobuf-es descriptors to @grpc/grpc-js: the descriptor carries all that a stub generator
// would print, so none is needed. Unary only; a streaming method is refused at start-up.
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";
import type { CallContext } from "./context.ts";

type Input<M> = M extends DescMethodUnary<infer I, DescMessage> ? I : never;
type Output<M> = M extends DescMethodUnary<DescMessage, infer O> ? O : never;

/** What a service implements: one async function per rpc, plain objects out. */
export type Handlers<S extends DescService> = {
  [K in keyof S["method"]]: (
    request: MessageShape<Input<S["method"][K]>>,
    context: CallContext,
  ) => Promise<MessageInitShape<Output<S["method"][K]>>>;
};

export interface CallOptions {
  /** Whose work this is: request id and project id travel on, and its deadline bounds this call. */
  context?: Partial<CallContext>;
  /** Bound on this call; the context's deadline wins when it is nearer. */
  timeoutMs?: number;
}

/** What a caller holds: the same rpcs, plain objects in, messages out, a Failure when refused. */
export type Client<S extends DescService> = {
  [K in keyof S["method"]]: (
    request: MessageInitShape<Input<S["method"][K]>>,
    options?: CallOptions,
  ) => Promise<MessageShape<Output<S["method"][K]>>>;
};

// biome-ignore lint/suspicious/noExplicitAny: grpc-js erases the message types at this point
export type Method = MethodDefinition<any, any>;

/** An answer as it came; opened once. */
export interface Parcel {
  open(): Message;
}

const NOTHING = new Uint8Array();

const methodDefinition = (method: DescMethod): Method => {
  if (method.methodKind !== "unary") throw new Error(`${method.toString()} is not unary`);
  const encode =
    <D extends DescMessage>(desc: D) =>
    (init: MessageInitShape<D>) =>
      Buffer.from(toBinary(desc, create(desc, init)));
  // grpc-js holds a call, and all it carried, until the collector's next long round. What it carries to the caller
  // is therefore a parcel that is emptied on arrival; a page of answers per call would fill the old space.
  const parcel = (bytes: Uint8Array): Parcel => ({
    open() {
      const opened = fromBinary(method.output, bytes);
      bytes = NOTHING;
      return opened;
    },
  });
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: encode(method.input),
    requestDeserialize: (bytes: Uint8Array) => fromBinary(method.input, bytes),
    responseSerialize: encode(method.output),
    responseDeserialize: parcel,
  };
};

export const serviceDefinition = (service: DescService): ServiceDefinition =>
  Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
