// Whether a broker serves consumer groups, checked in Kafka's own protocol. An open port is no proof: right after
// its start a broker answers "the coordinator is loading", and clients that meet that answer lose seconds to their
// retries. So the probe looks up a group's coordinator and reads that group's offsets until both succeed.
import { connect, type Socket } from "node:net";

const FIND_COORDINATOR = { key: 10, version: 1 };
const OFFSET_FETCH = { key: 9, version: 2 };
const NOT_COORDINATOR = 16;
const GROUP = "probe";

/** The broker is the coordinator for all it knows, and does not act as one. */
export class CoordinatorInactive extends Error {}

/** Rejects with the reason while the broker is not ready. */
export async function probeKafka(host: string, port: number, timeoutMs: number): Promise<void> {
  const socket = connect({ host, port, noDelay: true });
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error("no answer")));
  try {
    const group = text(GROUP);
    const coordinator = await request(
      socket,
      FIND_COORDINATOR,
      Buffer.concat([group, Buffer.alloc(1)]),
    );
    // After the correlation id and the throttle time.
    expectNoError("coordinator", coordinator.readInt16BE(8));
    const allTopics = Buffer.alloc(4, 0xff);
    const offsets = await request(socket, OFFSET_FETCH, Buffer.concat([group, allTopics]));
    const code = offsets.readInt16BE(offsets.length - 2);
    if (code === NOT_COORDINATOR) {
      // Another broker of the cluster coordinates this group, so this one has no offsets to read.
      if (getPort(coordinator) !== port) return;
      throw new CoordinatorInactive("the broker does not coordinate the groups that are its own");
    }
    expectNoError("offsets", code);
  } finally {
    socket.destroy();
  }
}

/** The port of the coordinator, at the end of the answer. */
function getPort(coordinator: Buffer): number {
  return coordinator.readInt32BE(coordinator.length - 4);
}

function expectNoError(what: string, code: number) {
  if (code !== 0) throw new Error(`the broker's ${what} answered with error ${code}`);
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeInt16BE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(value)]);
}

/** Sends one request and returns its response without the length. */
async function request(
  socket: Socket,
  { key, version }: { key: number; version: number },
  body: Buffer,
): Promise<Buffer> {
  const header = Buffer.alloc(8);
  header.writeInt16BE(key, 0);
  header.writeInt16BE(version, 2);
  const message = Buffer.concat([header, text("probe"), body]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(message.length);
  socket.write(Buffer.concat([length, message]));
  return toAnswer(socket);
}

function toAnswer(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    function done(error: Error | undefined) {
      socket.off("data", onData).off("error", done).off("close", onClose);
      if (error) return reject(error);
      resolve(received.subarray(4));
    }

    function onClose() {
      return done(new Error("the broker closed the connection"));
    }

    function onData(chunk: Buffer) {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) done(undefined);
    }

    socket.on("data", onData).on("error", done).on("close", onClose);
  });
}
