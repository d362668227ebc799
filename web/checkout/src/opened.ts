// How the page comes to the client secret: it is behind the #, or it is exchanged for the code of a hand-off, because
// links to wallets lose what is behind a #.
import { connectServer, type Server } from "@pay/sdk/browser";
import { useEffect, useMemo, useState } from "preact/hooks";

const PATH = /\/pay\/(pay_[0-9A-Za-z]+)(?:\/h\/(ho_[0-9A-Za-z]+))?$/;
const SECRET = /^#(cs_(?:live|test)_[0-9A-Za-z]+)$/;
const ANSWER_MAX_MS = 10_000;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_MAX_MS = 15_000;

export interface Link {
  id: string;
  secret: string | undefined;
  code: string | undefined;
}

export function readLink({ pathname, hash }: Location): Link {
  const [, id = "", code] = PATH.exec(pathname) ?? [];
  return { id, code, secret: SECRET.exec(hash)?.[1] };
}

export type Opening = "open" | "under-way" | "refused";

export function useServer({ id, secret: given, code }: Link): {
  server: Server | undefined;
  opening: Opening;
} {
  const [secret, setSecret] = useState(given);
  const [isRefused, setRefused] = useState(false);
  const isOpening = secret === undefined && code !== undefined;
  useEffect(() => {
    if (!isOpening) return;
    const leaving = new AbortController();
    async function open(by: string): Promise<void> {
      const clientSecret = await exchange(id, by, leaving.signal);
      if (leaving.signal.aborted) return;
      if (clientSecret === undefined) return setRefused(true);
      // The code works no longer; a page that is loaded again finds the secret.
      history.replaceState(null, "", `/pay/${id}#${clientSecret}`);
      setSecret(clientSecret);
    }

    void open(code);
    return () => leaving.abort();
  }, [id, code, isOpening]);

  const server = useMemo(
    () =>
      id === "" || secret === undefined ? undefined : connectServer({ id, clientSecret: secret }),
    [id, secret],
  );
  if (!isOpening) return { server, opening: "open" };
  return { server, opening: isRefused ? "refused" : "under-way" };
}

/** Undefined where the code is refused. A lost answer is given again, because every try has the same key. */
async function exchange(
  id: string,
  code: string,
  leaving: AbortSignal,
): Promise<string | undefined> {
  const key = crypto.randomUUID();
  for (
    let pauseMs = PAUSE_FIRST_MS;
    !leaving.aborted;
    pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)
  ) {
    try {
      const answer = await fetch(`/v1/payments/${id}/open`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": key },
        body: JSON.stringify({ code }),
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
        credentials: "omit",
        cache: "no-store",
      });
      if (answer.ok) return ((await answer.json()) as { clientSecret: string }).clientSecret;
      const isBusy = answer.status === 409 || answer.status === 429 || answer.status >= 500;
      if (!isBusy) return undefined;
    } catch {
      // No connection: the next try may have one.
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return undefined;
}
