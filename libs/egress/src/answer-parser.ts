// Answers of HTTP/1.1, read by llhttp in its strict form: the parser of Node and undici, which refuses what could be read
// in two ways. Here is only what an answer means to us: its status, two headers, its bytes and its end.
import { llhttp as wasm } from "./llhttp.cjs";

const RESPONSE = 2;
const OK = 0;
const REFUSE = -1;
const NO_BODY = 1;
const PAUSED = 21;
/** Of one answer, those of status 1xx before it included. */
const HEAD_BYTES_MAX = 16 * 1024;
const BUFFER_STEP = 4 * 1024;
const RETRY_AFTER = "retry-after";
const KEEP_ALIVE = "keep-alive";

export interface Head {
  statusCode: number;
  retryAfter: string | undefined;
  /** How long the peer keeps the connection, in its own words. */
  keepAlive: string | undefined;
}

export interface AnswerEvents {
  onHead(head: Head): void;
  /** A part of what was handed in, valid as long as that is. */
  onBody(bytes: Buffer): void;
}

/**
 * "more": the answer goes on. "kept": it is whole, and another one may follow on the connection. "last": it is whole, and
 * the connection is not to be used again. "bad": this is no answer.
 */
export type Progress = "more" | "kept" | "last" | "bad";

export interface AnswerParser {
  push(bytes: Buffer): Progress;
  /** The peer has closed its side. */
  end(): Progress;
  free(): void;
}

interface Llhttp {
  memory: WebAssembly.Memory;
  malloc(size: number): number;
  free(at: number): void;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, at: number, length: number): number;
  llhttp_finish(parser: number): number;
  llhttp_resume(parser: number): void;
  llhttp_get_error_pos(parser: number): number;
}

/** What llhttp calls; positions are those of its own memory. */
interface Callbacks {
  onReason(length: number): number;
  onName(at: number, length: number): number;
  onValue(at: number, length: number): number;
  onHeadEnd(statusCode: number, isUpgrade: boolean, isKept: boolean): number;
  onBody(at: number, length: number): number;
  onEnd(): number;
}

let current: Callbacks | undefined;
let input = { at: 0, size: 0 };

function inForce(act: (to: Callbacks) => number): number {
  return current === undefined ? REFUSE : act(current);
}

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
  env: {
    wasm_on_url: () => OK,
    wasm_on_status: (_parser: number, _at: number, length: number) =>
      inForce((to) => to.onReason(length)),
    wasm_on_message_begin: () => OK,
    wasm_on_header_field: (_parser: number, at: number, length: number) =>
      inForce((to) => to.onName(at, length)),
    wasm_on_header_value: (_parser: number, at: number, length: number) =>
      inForce((to) => to.onValue(at, length)),
    wasm_on_headers_complete: (_parser: number, status: number, upgrade: number, kept: number) =>
      inForce((to) => to.onHeadEnd(status, upgrade === 1, kept === 1)),
    wasm_on_body: (_parser: number, at: number, length: number) =>
      inForce((to) => to.onBody(at, length)),
    wasm_on_message_complete: () => inForce((to) => to.onEnd()),
  },
});
const llhttp = exports as unknown as Llhttp;

/** Copies bytes to where the parser reads. */
function place(bytes: Buffer): void {
  if (bytes.length > input.size) {
    if (input.size > 0) llhttp.free(input.at);
    const size = Math.ceil(bytes.length / BUFFER_STEP) * BUFFER_STEP;
    input = { at: llhttp.malloc(size), size };
  }
  new Uint8Array(llhttp.memory.buffer, input.at, bytes.length).set(bytes);
}

export function createAnswerParser(events: AnswerEvents): AnswerParser {
  const parser = llhttp.llhttp_alloc(RESPONSE);
  let bytes: Buffer;
  let headBytes = 0;
  let name = "";
  let value = "";
  let isInValue = false;
  let retryAfter: string | undefined;
  let keepAlive: string | undefined;
  let hasBodyHeader = false;
  let statusCode = 0;
  let isKept = false;
  let isWhole = false;

  function textAt(at: number, length: number): string {
    headBytes += length;
    return bytes.toString("latin1", at - input.at, at - input.at + length);
  }

  /** A header is all there. */
  function note() {
    if (!isInValue) return;
    const lower = name.toLowerCase();
    if (lower === RETRY_AFTER) retryAfter ??= value;
    else if (lower === KEEP_ALIVE) keepAlive ??= value;
    else if (lower === "transfer-encoding") hasBodyHeader = true;
    else if (lower === "content-length") hasBodyHeader ||= !/^0*$/.test(value);
    name = value = "";
    isInValue = false;
  }

  function forgetHead() {
    retryAfter = keepAlive = undefined;
    hasBodyHeader = false;
  }

  function withinHead(): number {
    return headBytes > HEAD_BYTES_MAX ? REFUSE : OK;
  }

  const callbacks: Callbacks = {
    onReason: (length) => {
      headBytes += length;
      return withinHead();
    },
    // Both come in parts where the network cuts them.
    onName: (at, length) => {
      note();
      name += textAt(at, length);
      return withinHead();
    },
    onValue: (at, length) => {
      isInValue = true;
      value += textAt(at, length);
      return withinHead();
    },
    onHeadEnd: (status, isUpgrade, mayKeep) => {
      note();
      // No request asks for another protocol.
      if (isUpgrade || status === 101) return REFUSE;
      statusCode = status;
      if (status < 200) return NO_BODY;
      // What has no body and announces one may send it all the same, where the next answer would begin.
      isKept = mayKeep && !((status === 204 || status === 304) && hasBodyHeader);
      events.onHead({ statusCode, retryAfter, keepAlive });
      return OK;
    },
    onBody: (at, length) => {
      events.onBody(bytes.subarray(at - input.at, at - input.at + length));
      return OK;
    },
    onEnd: () => {
      note();
      forgetHead();
      if (statusCode < 200) return OK;
      isWhole = true;
      return PAUSED;
    },
  };

  function run(act: () => number): number {
    current = callbacks;
    try {
      return act();
    } catch {
      return REFUSE;
    } finally {
      current = undefined;
    }
  }

  return {
    push: (chunk) => {
      bytes = chunk;
      place(chunk);
      const result = run(() => llhttp.llhttp_execute(parser, input.at, chunk.length));
      if (!isWhole) return result === OK ? "more" : "bad";
      const hasSurplus = llhttp.llhttp_get_error_pos(parser) - input.at < chunk.length;
      if (!isKept || hasSurplus) return "last";
      llhttp.llhttp_resume(parser);
      isWhole = false;
      headBytes = 0;
      return "kept";
    },
    end: () => {
      run(() => llhttp.llhttp_finish(parser));
      return isWhole ? "last" : "bad";
    },
    free: () => llhttp.llhttp_free(parser),
  };
}
