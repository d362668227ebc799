// A server that renews its connections, or stops, announces it with GOAWAY and answers the calls under way first. Node
// sends no ping on such a connection, and grpc-js takes the missing ping of its keepalive for a dead peer and ends
// these calls (grpc/grpc-node#3068). So a ping there counts as answered: the connection ends with its last call, and
// each call has a deadline. Every connection with a call reports itself on a channel of Node's diagnostics.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientHttp2Stream } from "node:http2";

const STREAMS = "http2.client.stream.created";
const NO_PAYLOAD = Buffer.alloc(8);

type OnAnswer = (error: Error | null, durationMs: number, payload: Buffer) => void;

const known = new WeakSet<object>();
let clients = 0;

/** For the connections of all clients of the process, until each of them has called what this answers. */
export function answerLatePings(): () => void {
  if (clients++ === 0) subscribe(STREAMS, onStream);
  return () => {
    if (--clients === 0) unsubscribe(STREAMS, onStream);
  };
}

function onStream(message: unknown): void {
  const { session } = (message as { stream: ClientHttp2Stream }).stream;
  if (session === undefined || known.has(session)) return;
  known.add(session);
  session.once("goaway", () => Object.assign(session, { ping: answered }));
}

function answered(onAnswer: OnAnswer): boolean {
  setImmediate(onAnswer, null, 0, NO_PAYLOAD);
  return true;
}
