import { expect, test } from "@jest/globals";
import { parseSmtpUrl } from "./smtp-url.ts";

test.each([
  ["smtps://mail.example?from=pay@shop.example", "mail.example", 465, "tls", undefined],
  ["smtp://mail.example:2525/?from=pay@shop.example", "mail.example", 2525, "starttls", undefined],
  ["smtp://127.0.0.1:25?from=pay@shop.example", "127.0.0.1", 25, "none", undefined],
  [
    "smtp://u%40x:p%2F@[2001:db8::1]?from=pay@shop.example",
    "2001:db8::1",
    587,
    "starttls",
    { user: "u@x", pass: "p/" },
  ],
])("%s names a mail server", (text, host, port, security, login) => {
  expect(parseSmtpUrl(text)).toEqual({ host, port, security, login, from: "pay@shop.example" });
});

test.each([
  "mail.example",
  "https://mail.example?from=pay@shop.example",
  "smtps://mail.example",
  "smtps://mail.example?from=pay",
  "smtps://mail.example?from=pay@shop.example&tls=off",
  "smtps://user@mail.example?from=pay@shop.example",
  "smtps://u:%ff@mail.example?from=pay@shop.example",
  "smtps://mail.example/path?from=pay@shop.example",
  "smtps://mail.example?from=a%40b.example%0D%0ABcc%3Ac%40d.example",
])("%s names none", (text) => {
  expect(parseSmtpUrl(text)).toBeUndefined();
});
