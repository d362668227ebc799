/** In a process that was started with --inspect on this port. */
export async function collectGarbage(inspectPort: number): Promise<void> {
  const targets = await (await fetch(`http://127.0.0.1:${inspectPort}/json`)).json();
  const [{ webSocketDebuggerUrl }] = targets as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, "open");
  const answered = once(socket, "message");
  socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" }));
  await answered;
  socket.close();
}

function once(socket: WebSocket, name: "open" | "message"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(name, resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error("no debugger answers")), {
      once: true,
    });
  });
}
