import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { createMuteServer, type MailServer, startMailServer } from "@pay/testing";
import { createMailer } from "./mailer.ts";
import { parseSmtpUrl, type SmtpSettings } from "./smtp-url.ts";

const TIMEOUT_MS = 10_000;
const MAIL = { to: "ane@shop.example", subject: "Join Café\r\nBcc: x@y.example", text: "a link" };

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server?.stop());

function mail(url = server.url, timeoutMs = TIMEOUT_MS) {
  const lines: string[] = [];
  const log = createLog("gateway", "info", { write: (line: string) => void lines.push(line) });
  const mailer = createMailer(parseSmtpUrl(url) as SmtpSettings, { log, timeoutMs });
  return { send: (given = MAIL) => mailer.send(given), lines };
}

test("a mail reaches one person, by a server whose certificate is trusted", async () => {
  const stranger = mail();
  expect(await stranger.send()).toBe(false);
  server.trust();
  expect(await mail(server.url.replace("pay:", "other:")).send()).toBe(false);
  expect(server.mails).toEqual([]);
  const { send, lines } = mail();
  expect(await send()).toBe(true);
  expect(server.mails).toMatchObject([{ to: ["ane@shop.example"] }]);
  expect(server.mails[0]?.text).toMatch(/^From: desk@pay\.example\r$/m);
  expect(server.mails[0]?.text).not.toMatch(/^Bcc:/m);
  expect(await send({ ...MAIL, to: "a@shop.example, b@shop.example" })).toBe(false);
  server.refuse("no such ane@shop.example");
  expect(await send()).toBe(false);
  server.refuse(undefined);
  expect([...stranger.lines, ...lines].join()).toMatch(/"reason":"E\w+"/);
  expect([...stranger.lines, ...lines].join()).not.toMatch(/shop\.example|a link|password/);
});

test("a server that says nothing is left at the deadline, and no more than twenty mails wait for it", async () => {
  const mute = createMuteServer();
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const { port } = mute.address() as AddressInfo;
  const { send, lines } = mail(`smtp://127.0.0.1:${port}?from=desk@pay.example`, 100);
  const sent = await Promise.all(Array.from({ length: 21 }, () => send()));
  expect(new Set(sent)).toEqual(new Set([false]));
  expect(lines.filter((line) => line.includes("too many at a time"))).toHaveLength(1);
  await new Promise((resolve) => mute.close(resolve));
});
