// The server as a process, with its key and its certificates in the folder that it is given. It prints a line for
// each signature.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Wallet } from "ethers";
import { createSigningServer } from "./server.ts";

const [folder = "", port = ""] = process.argv.slice(2);

function file(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

const opened = await Wallet.fromEncryptedJson(file("key.json"), file("passphrase"));
const server = createSigningServer(new Wallet(opened.privateKey), {
  tls: { cert: file("tls.crt"), key: file("tls.key"), ca: file("ca.crt") },
  onSigned: ({ nonce }) => process.stdout.write(`signed nonce ${Number(nonce)}\n`),
});
server.listen(Number(port));
process.once("SIGTERM", () => process.exit());
