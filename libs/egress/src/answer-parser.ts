// Answers of HTTP/1.1, read by llhttp in its strict form: the parser of Node and undici, which refuses what could be
// read in two ways. Here is only what an answer means to us: its status, two headers, its bytes and its end.
import { llhttp as wasm } from "./llhttp.cjs";

const RESPONSE = 2;
const OK = 0;
const REFUSE = -1;
const NO_BODY = 1;
const PAUSED = 21;
/** Of one answer, those of status 1xx before it included. */
const HEAD_BYTES_MAX = 16 * 1024;
const BUFFER_STEP = 4 * 1024;
/** The headers that mean something here: of all others no text is made. No two of them begin alike. */
const NAMES = ["retry-after", "keep-alive", "transfer-encoding", "content-length"] as const;
const FIRST_BYTES = NAMES.map((name) => name.charCodeAt(0));
const NONE = -1;
const LOWER = 0x20;

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
 * "more": the answer goes on. "kept": it is whole, and another one may follow on the connection. "last": it is whole,
 * and the connection is not to be used again. "bad": this is no answer.
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

/** The callbacks of llhttp; positions are those of its own memory. */
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

/** The name of a header, in any case. */
function createNameReader() {
  let length = 0;
  let named = NONE;
  return {
    read: (bytes: Buffer, start: number, end: number) => {
      for (let at = start; at < end; at++) {
        const byte = (bytes[at] ?? 0) | LOWER;
        if (length === 0) named = FIRST_BYTES.indexOf(byte);
        else if (NAMES[named]?.charCodeAt(length) !== byte) named = NONE;
        length++;
      }
    },
    /** Undefined where it means nothing here. */
    name: () => (NAMES[named]?.length === length ? NAMES[named] : undefined),
    clear: () => {
      length = 0;
      named = NONE;
    },
  };
}

/** The headers of a response. Names and values come in parts where the network cuts them. */
function createHeaders() {
  const reader = createNameReader();
  const noted = {
    retryAfter: undefined as string | undefined,
    keepAlive: undefined as string | undefined,
    announcesBody: false,
  };
  let value = "";
  let isInValue = false;

  /** A header is all there. */
  function note() {
    if (!isInValue) return;
    const name = reader.name();
    if (name === "retry-after") noted.retryAfter ??= value;
    else if (name === "keep-alive") noted.keepAlive ??= value;
    else if (name === "transfer-encoding") noted.announcesBody = true;
    else if (name === "content-length") noted.announcesBody ||= !/^0*$/.test(value);
    reader.clear();
    value = "";
    isInValue = false;
  }

  return {
    noted,
    note,
    readName: (bytes: Buffer, start: number, end: number) => {
      note();
      reader.read(bytes, start, end);
    },
    readValue: (bytes: Buffer, start: number, end: number) => {
      isInValue = true;
      if (reader.name() !== undefined) value += bytes.toString("latin1", start, end);
    },
    forget: () => {
      noted.retryAfter = noted.keepAlive = undefined;
      noted.announcesBody = false;
    },
  };
}

export function createAnswerParser(events: AnswerEvents): AnswerParser {
  const parser = llhttp.llhttp_alloc(RESPONSE);
  const headers = createHeaders();
  let bytes: Buffer;
  let headBytes = 0;
  let statusCode = 0;
  let isKept = false;
  let isWhole = false;

  function withinHead(): number {
    return headBytes > HEAD_BYTES_MAX ? REFUSE : OK;
  }

  const callbacks: Callbacks = {
    onReason: (length) => {
      headBytes += length;
      return withinHead();
    },
    onName: (at, length) => {
      headBytes += length;
      headers.readName(bytes, at - input.at, at - input.at + length);
      return withinHead();
    },
    onValue: (at, length) => {
      headBytes += length;
      headers.readValue(bytes, at - input.at, at - input.at + length);
      return withinHead();
    },
    onHeadEnd: (status, isUpgrade, mayKeep) => {
      headers.note();
      // No request asks for another protocol.
      if (isUpgrade || status === 101) return REFUSE;
      statusCode = status;
      if (status < 200) return NO_BODY;
      const { retryAfter, keepAlive, announcesBody } = headers.noted;
      // A response that may have no body but announces one may still send it, where the next answer would begin.
      isKept = mayKeep && !((status === 204 || status === 304) && announcesBody);
      events.onHead({ statusCode, retryAfter, keepAlive });
      return OK;
    },
    onBody: (at, length) => {
      events.onBody(bytes.subarray(at - input.at, at - input.at + length));
      return OK;
    },
    onEnd: () => {
      headers.note();
      headers.forget();
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
