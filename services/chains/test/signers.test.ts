// Where keys come from: a file with a passphrase, or a server that signs. A wallet that does not work stops no other.
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { type TestChain, testChain, until } from "@pay/testing";
import { Transaction, Wallet } from "ethers";
import { signaturesTotal, signersUnusable } from "../src/metrics.ts";
import { describeChains, startTestChains } from "./chains.ts";
import { BUYER, type KeyFiles, keyFiles, signerFor, startPayingWallet } from "./paying-wallet.ts";
import { type Asked, signAsked } from "./signing-server/server.ts";

type Answer = (asked: Asked, wallet: Wallet) => Promise<unknown>;

/** Signs what it is asked to sign, unless the test makes it answer otherwise. */
async function startSigningServer(wallet: Wallet) {
  const state: { answer: Answer } = { answer: signed };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      expect(method).toBe("eth_signTransaction");
      void state
        .answer(params[0], wallet)
        .then((result) => response.end(JSON.stringify({ jsonrpc: "2.0", id, result })));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const stop = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}`, state, stop };
}

async function signed(asked: Asked, wallet: Wallet): Promise<string> {
  expect(asked.from).toBe(wallet.address.toLowerCase());
  return signAsked(wallet, asked);
}

const STRANGER = `0x${"6".repeat(40)}`;
/** What a server may answer that was taken over. */
const OTHERS: readonly Answer[] = [
  (asked, key) => signed({ ...asked, value: "0x7fffffff" }, key),
  (asked, key) => signed({ ...asked, to: STRANGER }, key),
  (asked, key) => signed({ ...asked, nonce: "0x7" }, key),
  (asked, key) => signed({ ...asked, chainId: "0x1" }, key),
  (asked, key) => signed({ ...asked, maxFeePerGas: "0xffffffffffff" }, key),
  (asked, key) => signed({ ...asked, gas: "0xffffff" }, key),
  (asked, key) => signed({ ...asked, data: "0x01" }, key),
  async (asked, key) => {
    const transaction = Transaction.from(await signed(asked, key));
    transaction.signature = Wallet.createRandom().signingKey.sign(transaction.unsignedHash);
    return transaction.serialized;
  },
  // The numbers of no key.
  async (asked, key) => {
    const transaction = Transaction.from(await signed(asked, key));
    transaction.signature = { r: `0x${"0".repeat(63)}5`, s: `0x${"0".repeat(63)}1`, v: 27 };
    return transaction.serialized;
  },
  async () => "0x02",
  async () => `0x${"f".repeat(100_000)}`,
];

describeChains("a signer", () => {
  let chain: TestChain;
  let files: KeyFiles;
  beforeAll(async () => {
    chain = await testChain();
    files = await keyFiles();
  });
  afterAll(async () => {
    await chain?.stop();
    files?.remove();
  });

  test("on a chain without a provider ends the start with one line", async () => {
    const environment = { CHAINS_SIGNERS: signerFor(chain, files, { chainId: 5 }) };
    const start = startTestChains({ chain, environment }).then((chains) => chains.stop());
    const error = await start.catch((reason: Error) => reason);
    expect(`${error}`).toContain("has no provider");
    expect(`${error}`.split("\n")).toHaveLength(1);
  });

  test("that cannot be used is put aside with one line, and another wallet is paid from", async () => {
    const wrong = [await keyFiles(4, "s3cret"), await keyFiles(5), await keyFiles(6)] as const;
    const named: [KeyFiles, string][] = [
      [wrong[0], "does not open"],
      [{ ...wrong[1], address: wrong[2].address }, "is the key of another address"],
      [{ ...wrong[2], address: BUYER, passphraseFile: "/nowhere" }, "cannot be read"],
    ];
    const all = [...named.map(([one]) => one), files];
    const CHAINS_SIGNERS = JSON.stringify(
      all.flatMap((one) => JSON.parse(signerFor(chain, one)) as object[]),
    );
    const lines: string[] = [];
    const paying = await startPayingWallet({
      chain,
      files,
      environment: { CHAINS_SIGNERS },
      log: createLog("chains", "info", { write: (line: string) => void lines.push(line) }),
    });
    expect((await signersUnusable.get()).values).toMatchObject([{ value: 3 }]);
    const said = lines.filter((line) => line.includes("a signer is put aside"));
    expect(said).toHaveLength(3);
    for (const [place, [{ address }, fault]] of named.entries()) {
      expect(said[place]).toContain(address);
      expect(said[place]).toContain(fault);
    }
    expect(lines.join()).not.toContain("s3cret");
    expect((await paying.chains.verdict(await paying.owe())).type).toBe("transfer.confirmed");
    await paying.stop();
    for (const one of wrong) one.remove();
  });

  test("may be a server, and what it signs besides what it is asked for is not sent", async () => {
    const wallet = Wallet.fromPhrase("test test test test test test test test test test test junk");
    const server = await startSigningServer(new Wallet(wallet.privateKey));
    const remote = {
      keystoreFile: undefined,
      passphraseFile: undefined,
      url: server.url,
      address: wallet.address,
    };
    server.state.answer = async () => undefined;
    const paying = await startPayingWallet({
      chain,
      signer: remote,
      files: { ...files, address: wallet.address.toLowerCase() },
    });
    const id = await paying.owe();
    for (const answer of OTHERS) {
      server.state.answer = answer;
      await expectNoSignature(paying, id);
    }
    server.state.answer = signed;
    expect((await paying.chains.verdict(id)).type).toBe("transfer.confirmed");
    await paying.stop();
    await server.stop();
  });
});

async function failedSignatures(): Promise<number> {
  const { values } = await signaturesTotal.get();
  return values.find(({ labels }) => labels.outcome === "failed")?.value ?? 0;
}

/** Two of them, because one answer may still be on its way. */
async function expectNoSignature(
  { chains, intent }: Awaited<ReturnType<typeof startPayingWallet>>,
  id: string,
): Promise<void> {
  const before = await failedSignatures();
  await until(async () => {
    await chains.pool.query("update intents set next_at = now() where subject_id = $1", [id]);
    return (await failedSignatures()) >= before + 2;
  });
  expect(await intent(id)).toMatchObject({ state: "waiting", nonce: null });
  const { rows } = await chains.pool.query("select from signed_transactions");
  expect(rows).toHaveLength(0);
}
