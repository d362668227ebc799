import { afterEach, expect, test } from "@jest/globals";
import { type AnswerParser, createAnswerParser, type Progress } from "./answer-parser.ts";

let parser: AnswerParser | undefined;
afterEach(() => {
  parser?.free();
  parser = undefined;
});

/** What is understood of bytes that come in these parts; `ends` where the peer closes its side after them. */
function read(parts: readonly string[], { ends = false } = {}) {
  parser?.free();
  const heads: unknown[] = [];
  let body = "";
  let progress: Progress = "more";
  parser = createAnswerParser({
    onHead: ({ statusCode, retryAfter, keepAlive }) =>
      heads.push([statusCode, retryAfter, keepAlive]),
    onBody: (bytes) => {
      body += bytes.toString("latin1");
    },
  });
  for (const part of parts) {
    if (progress === "more") progress = parser.push(Buffer.from(part, "latin1"));
  }
  if (ends && progress === "more") progress = parser.end();
  return { heads, body, progress };
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const ANSWERS = [
  ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", "kept"],
  ["chunks", `${CHUNKED}2;x=1\r\nok\r\n1\r\n!\r\n0\r\nX-End: 1\r\n\r\n`, 200, "ok!", "kept"],
  ["no body", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", "kept"],
  ["the connection's end", "HTTP/1.1 200 OK\r\n\r\nall of it", 200, "all of it", "last"],
  ["an older version", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", "last"],
  [
    "a farewell",
    "HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
    500,
    "no",
    "last",
  ],
  [
    "hints before it",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n",
    201,
    "",
    "kept",
  ],
  [
    "a body that its status does not have",
    "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    204,
    "",
    "last",
  ],
] as const;

test.each(ANSWERS)(
  "an answer with %s is the same wherever the network cuts it",
  (_name, text, status, body, progress) => {
    const expected = { heads: [[status, undefined, undefined]], body, progress };
    expect(read([text], { ends: true })).toEqual(expected);
    expect(read([...text], { ends: true })).toEqual(expected);
    for (let cut = 1; cut < text.length; cut++) {
      expect(read([text.slice(0, cut), text.slice(cut)], { ends: true })).toEqual(expected);
    }
  },
);

test("two headers are reported, each by its first value, wherever they are cut", () => {
  const text =
    "HTTP/1.1 503 Busy\r\nRETRY-AFTER: 7\r\nRetry-After: 8\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n";
  for (let cut = 1; cut < text.length; cut++) {
    const { heads } = read([text.slice(0, cut), text.slice(cut)]);
    expect(heads).toEqual([[503, "7", "timeout=5"]]);
  }
});

test.each([
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nsurplus",
  "HTTP/1.1 204 No Content\r\n\r\n\r\n",
  `${CHUNKED}0\r\n\r\nHTTP/1.1 200 OK\r\n`,
])("bytes after the end of an answer are its connection's end: %j", (text) => {
  const { heads, progress } = read([text]);
  expect(heads).toHaveLength(1);
  expect(progress).toBe("last");
});

test("one parser reads one answer after the other", () => {
  read(["HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno"]);
  expect(parser?.push(Buffer.from("HTTP/1.1 204 No Content\r\n\r\n"))).toBe("kept");
  expect(parser?.push(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"))).toBe("more");
  expect(parser?.end()).toBe("bad");
});

test.each([
  ["no HTTP", "220 mail.example ESMTP\r\n"],
  ["a version of its own", "HTTP/9.9 200 OK\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
  ["another protocol", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["another protocol by its status alone", "HTTP/1.1 101 Switching\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
  ["a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
  [
    "a length beside chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a chunk without a size", `${CHUNKED}zz\r\nok\r\n0\r\n\r\n`],
  ["a chunk longer than its size", `${CHUNKED}2\r\nokay\r\n0\r\n\r\n`],
  ["a space before a colon", "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\na"],
  ["a control character", "HTTP/1.1 200 OK\r\nX-Odd: a\x00b\r\n\r\n"],
  ["a header of 17 KiB", `HTTP/1.1 200 OK\r\nX-Long: ${"v".repeat(17_408)}\r\n\r\n`],
  ["a reason of 17 KiB", `HTTP/1.1 200 ${"v".repeat(17_408)}\r\n\r\n`],
  ["endless hints", "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n".repeat(1_000)],
  ["an endless trailer", `${CHUNKED}0\r\n${"X-More: 1\r\n".repeat(3_000)}`],
])("%s is no answer", (_name, text) => {
  expect(read([text]).progress).toBe("bad");
  expect(read(text.match(/.{1,700}/gs) ?? []).progress).toBe("bad");
});
