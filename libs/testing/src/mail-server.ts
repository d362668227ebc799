// A real mail server, and the mails that it took. It answers by TLS with the certificate of an authority of its own.
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createAuthority } from "@pay/embedded";
import { until } from "./until.ts";

const LOGIN = { user: "pay", pass: "password of the tests/1" };

export interface ReceivedMail {
  to: string[];
  /** Header and text as they came, without the breaks of quoted-printable. */
  text: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

export async function startMailServer() {
  const { SMTPServer } = await import("smtp-server");
  const authority = createAuthority("Authority of mails");
  const { cert, key } = authority.issue({ names: ["localhost"] });
  const trusted = getCACertificates();
  const mails: ReceivedMail[] = [];
  let fault: string | undefined;
  const server = new SMTPServer({
    secure: true,
    cert,
    key,
    onAuth: ({ username, password }, _session, done) => {
      const fits = username === LOGIN.user && password === LOGIN.pass;
      done(fits ? null : new Error("wrong login"), { user: username });
    },
    onRcptTo: (_address, _session, done) => done(fault === undefined ? null : new Error(fault)),
    onData: async (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, "").replace(/=3D/g, "=");
      mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
      done();
    },
  });
  // A client that does not trust the certificate ends the connection.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const login = `${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}`;

  return {
    /** As an operator sets it. */
    url: `smtps://${login}@localhost:${port}?from=desk@pay.example`,
    mails,
    /** Has this process trust the server, as an operator does with NODE_EXTRA_CA_CERTS. */
    trust: () => setDefaultCACertificates([...trusted, authority.ca]),
    /** Whether it refuses every mail from now on, with these words. */
    refuse: (words: string | undefined) => {
      fault = words;
    },
    /** The first mail to this address. */
    find: (address: string): Promise<ReceivedMail> =>
      until(() => mails.find(({ to }) => to.includes(address)), { what: `a mail to ${address}` }),
    stop: () => {
      setDefaultCACertificates(trusted);
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
