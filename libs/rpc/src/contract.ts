// A typed bridge from protobuf-es descriptors to @grpc/grpc-js: the descriptor has everything that a stub generator
// would print, so no generator is needed. Unary only; a streaming method is refused at start-up.
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

/** A service implements one async function per rpc, which returns a plain object. */
export type Handlers<S extends DescService> = {
  [K in keyof S["method"]]: (
    request: MessageShape<Input<S["method"][K]>>,
    context: CallContext,
  ) => Promise<MessageInitShape<Output<S["method"][K]>>>;
};

export interface CallOptions {
  /** The call that causes this one: its request id and project id are passed on, and its deadline bounds this call. */
  context?: Partial<CallContext>;
  /** Bound on this call; the context's deadline wins when it is nearer. */
  timeoutMs?: number;
}

/** A caller has the same rpcs: they take plain objects and return messages; a refusal is a thrown Failure. */
export type Client<S extends DescService> = {
  [K in keyof S["method"]]: (
    request: MessageInitShape<Input<S["method"][K]>>,
    options?: CallOptions,
  ) => Promise<MessageShape<Output<S["method"][K]>>>;
};

// biome-ignore lint/suspicious/noExplicitAny: grpc-js erases the message types at this point
export type Method = MethodDefinition<any, any>;

/** The bytes of a message, which are parsed when the message is read. It can be read once. */
export interface LazyMessage {
  readonly size: number;
  read(): Message;
}

const NO_BYTES = new Uint8Array();

// grpc-js holds a call and its messages until the next major garbage collection. A message therefore gives up its bytes
// when it is read; a page of answers per call would fill the old space. A server can also check the caller before it
// parses the request.
function createLazyMessage(desc: DescMessage) {
  return (bytes: Uint8Array): LazyMessage => ({
    size: bytes.length,
    read() {
      const message = fromBinary(desc, bytes);
      bytes = NO_BYTES;
      return message;
    },
  });
}

function methodDefinition(method: DescMethod): Method {
  if (method.methodKind !== "unary") throw new Error(`${method.toString()} is not unary`);
  function encode<D extends DescMessage>(desc: D) {
    return (init: MessageInitShape<D>) => Buffer.from(toBinary(desc, create(desc, init)));
  }

  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: encode(method.input),
    requestDeserialize: createLazyMessage(method.input),
    responseSerialize: encode(method.output),
    responseDeserialize: createLazyMessage(method.output),
  };
}

export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => [method.localName, methodDefinition(method)]),
  );
}
