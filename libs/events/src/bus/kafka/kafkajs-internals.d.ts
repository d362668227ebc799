// The internal parts of kafkajs that client.ts repairs and fast-decode.ts replaces; the library ships no types for
// them.
declare module "kafkajs/src/consumer/runner.js" {
  export default class Runner {
    readonly running: boolean;
    readonly fetchManager: { stop(): Promise<void> };
    fetch(nodeId: number): Promise<unknown[]>;
  }
}

declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    readonly pending: readonly unknown[];
    readonly throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
  }
}

declare module "kafkajs/src/protocol/decoder.js" {
  export default class Decoder {
    readonly buffer: Buffer;
    offset: number;
    constructor(buffer: Buffer);
    readVarInt(): number;
    readVarIntBytes(): Buffer | null;
    readVarIntArray(): unknown;
    readVarLong(): unknown;
  }
}

declare module "kafkajs/src/protocol/recordBatch/record/v0/index.js" {
  export default function encodeRecord(record: object): { buffer: Buffer };
}

declare module "kafkajs/src/protocol/recordBatch/record/v0/decoder.js" {
  import type { KafkaMessage } from "kafkajs";
  import type Decoder from "kafkajs/src/protocol/decoder.js";
  export default function decodeRecord(decoder: Decoder, batch: object): KafkaMessage;
}
