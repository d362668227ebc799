import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { type Anvil, anvilBinary, keepUp, startAnvil } from "../src/anvil/anvil.ts";
import { callNode } from "../src/anvil/dev-rpc.ts";
import { leasePort } from "../src/processes/port.ts";

const PAYEE = "0x00000000000000000000000000000000000000aa";
const running: Anvil[] = [];
let folder: string;
let stateFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "anvil-"));
  stateFile = join(folder, "chain.json");
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((anvil) => anvil.kill()));
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startAnvil>[0] = {}) {
  const anvil = await startAnvil(options);
  running.push(anvil);
  return anvil;
}

async function pay(rpcUrl: string): Promise<string> {
  const [from] = (await callNode(rpcUrl, "eth_accounts")) as string[];
  const transaction = { from, to: PAYEE, value: "0x1" };
  const hash = (await callNode(rpcUrl, "eth_sendTransaction", [transaction])) as string;
  await until(async () => (await fetchReceipt(rpcUrl, hash)) !== null);
  return hash;
}

async function fetchReceipt(rpcUrl: string, hash: string) {
  return (await callNode(rpcUrl, "eth_getTransactionReceipt", [hash])) as {
    blockHash: string;
  } | null;
}

function answers(rpcUrl: string) {
  return callNode(rpcUrl, "eth_chainId").then(
    () => true,
    () => false,
  );
}

describe("a local chain", () => {
  test("mines a transaction at once, not with the beat of its blocks", async () => {
    const { rpcUrl } = await start({ blockTimeSeconds: 3_600 });
    const hash = await pay(rpcUrl);
    expect(await fetchReceipt(rpcUrl, hash)).not.toBeNull();
  });

  test("also mines without a transaction", async () => {
    const { rpcUrl } = await start({ blockTimeSeconds: 1 });
    async function height() {
      return Number(await callNode(rpcUrl, "eth_blockNumber"));
    }

    const before = await height();
    await until(async () => (await height()) > before);
  });

  test("whose clock was late keeps up with this machine's", async () => {
    const { rpcUrl } = await start({ stateFile });
    async function nextTime() {
      const block = await callNode(rpcUrl, "eth_getBlockByNumber", ["pending", false]);
      return Number((block as { timestamp: string }).timestamp);
    }

    await callNode(rpcUrl, "evm_setTime", [(await nextTime()) - 30]);
    const now = Math.floor(Date.now() / 1_000);
    expect(await nextTime()).toBeLessThan(now - 20);
    await keepUp(rpcUrl);
    expect(await nextTime()).toBeGreaterThanOrEqual(now);
  });

  test("keeps blocks, receipts and balances over a stop", async () => {
    const first = await start({ stateFile });
    const hash = await pay(first.rpcUrl);
    const before = await fetchReceipt(first.rpcUrl, hash);
    await first.stop();
    const second = await start({ stateFile });
    expect(await fetchReceipt(second.rpcUrl, hash)).toEqual(before);
    expect(await callNode(second.rpcUrl, "eth_getBalance", [PAYEE, "latest"])).toBe("0x1");
    expect(await callNode(second.rpcUrl, "eth_blockNumber")).toBe("0x1");
  });

  test("keeps them over a kill, except for the last moment", async () => {
    const first = await start({ stateFile, saveIntervalMs: 100 });
    const hash = await pay(first.rpcUrl);
    const before = await fetchReceipt(first.rpcUrl, hash);
    await until(async () => (await readFile(stateFile, "utf8").catch(() => "")).includes(hash));
    await first.kill();
    const second = await start({ stateFile });
    expect(await fetchReceipt(second.rpcUrl, hash)).toEqual(before);
    await pay(second.rpcUrl);
    expect(await callNode(second.rpcUrl, "eth_getBalance", [PAYEE, "latest"])).toBe("0x2");
  });

  test("comes back whole after kills at any moment", async () => {
    const paid: string[] = [];
    for (let round = 0; round < 6; round++) {
      const anvil = await start({ stateFile, saveIntervalMs: 5 });
      for (const hash of paid) expect(await fetchReceipt(anvil.rpcUrl, hash)).not.toBeNull();
      for (let i = 0; i < 5; i++) await pay(anvil.rpcUrl);
      await anvil.save();
      paid.push(await pay(anvil.rpcUrl));
      await anvil.save();
      await pay(anvil.rpcUrl);
      await anvil.kill();
    }
  });

  test("is refused while another process uses the same state", async () => {
    await start({ stateFile });
    await expect(startAnvil({ stateFile })).rejects.toThrow(/is in use by process/);
  });

  test("ends with a parent that crashes, and what it held is kept", async () => {
    const script = `import { startAnvil } from ${JSON.stringify(fileURLToPath(new URL("../src/anvil/anvil.ts", import.meta.url)))};
      const anvil = await startAnvil({ stateFile: ${JSON.stringify(stateFile)}, saveIntervalMs: 3600000 });
      console.log(anvil.rpcUrl); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script]);
    const rpcUrl = await new Promise<string>((resolve) => {
      parent.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    });
    const hash = await pay(rpcUrl);
    parent.kill("SIGKILL");
    await until(async () => !(await answers(rpcUrl)));
    const next = await start({ stateFile });
    expect(await fetchReceipt(next.rpcUrl, hash)).not.toBeNull();
  });

  test("left over without a parent is ended by the next start, and what it held is kept", async () => {
    const port = await leasePort();
    const rpcUrl = `http://127.0.0.1:${port}`;
    const orphan = spawn(anvilBinary(), ["--port", `${port}`, "--quiet"], { stdio: "ignore" });
    await until(() => answers(rpcUrl));
    const hash = await pay(rpcUrl);
    await writeFile(`${stateFile}.pid`, JSON.stringify({ pid: orphan.pid, owner: 1, port }));
    const next = await start({ stateFile });
    expect(await answers(rpcUrl)).toBe(false);
    expect(await fetchReceipt(next.rpcUrl, hash)).not.toBeNull();
  });

  test("says in one line that its port is taken", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await expect(startAnvil({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
    await new Promise((resolve) => server.close(resolve));
  });

  test("says in one line that its state cannot be read", async () => {
    await writeFile(stateFile, '{"block":');
    await expect(startAnvil({ stateFile })).rejects.toThrow(/^anvil did not start: [^\n]+$/);
  });

  test("says in one line that there is no build for the machine", () => {
    expect(() => anvilBinary("linux", "ia32")).toThrow("anvil has no build for linux on ia32");
    expect(() => anvilBinary("win32", "x64")).toThrow(
      "package @foundry-rs/anvil-win32-amd64 is not installed: run npm ci",
    );
  });
});
