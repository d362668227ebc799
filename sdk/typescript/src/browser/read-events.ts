/**
 * Reads the data of each event of a stream (text/event-stream). EventSource cannot send a header, and the client secret
 * must not be in the address.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onData: (data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block.split("\n").filter((line) => line.startsWith("data: "));
      if (lines.length > 0) onData(lines.map((line) => line.slice("data: ".length)).join("\n"));
    }
  }
}
