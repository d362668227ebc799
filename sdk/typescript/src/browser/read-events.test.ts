import { expect, test } from "@jest/globals";
import { readEvents } from "./read-events.ts";

/** The text in pieces of so many bytes, as a network delivers it. */
function inPieces(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size)
        controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
}

const TEXT = [
  "retry: 2000\n\n",
  'event: status\nid: 1\ndata: {"name":"Zoë 💶"}\n\n',
  ":\n\n",
  "event: status\nid: 2\ndata: second\n\n",
  "event: status\nid: 3\ndata: cut off",
].join("");

test.each([1, 2, 7, 1_000])("events are complete when read in chunks of %i bytes", async (size) => {
  const seen: string[] = [];
  await readEvents(inPieces(TEXT, size), (data) => void seen.push(data));
  expect(seen).toEqual(['{"name":"Zoë 💶"}', "second"]);
});
