// Hands the wallet's hash to the server, and again until the server has it: after a lost connection, and when the page
// is opened again.
import {
  type PendingHash,
  readPendingHash,
  removePendingHash,
  type Server,
  type Status,
  storePendingHash,
  submitHash,
} from "@pay/sdk/browser";
import { useEffect, useState } from "preact/hooks";

export function useSubmission(given: {
  id: string;
  server: Server | undefined;
  status: Status | undefined;
  onTaken: () => void;
}) {
  const { id, server, status, onTaken } = given;
  const [sent, setSent] = useState<PendingHash | undefined>(() => readPendingHash(id));
  const [refused, setRefused] = useState<string>();
  const isKnown = sent !== undefined && status?.txHash === sent.hash;

  useEffect(() => {
    if (sent === undefined || server === undefined || status === undefined) return;
    if (isKnown) {
      removePendingHash(id);
      setSent(undefined);
      return;
    }
    const leaving = new AbortController();
    async function hand(own: PendingHash, to: Server): Promise<void> {
      const { refused: code } = await submitHash(to, own, leaving.signal);
      if (leaving.signal.aborted) return;
      if (code !== undefined) {
        removePendingHash(id);
        setSent(undefined);
        setRefused(code);
      }
      onTaken();
    }

    void hand(sent, server);
    return () => leaving.abort();
  }, [sent, server, status === undefined, isKnown]);

  return {
    sent,
    refused,
    submit: (paid: PendingHash) => {
      storePendingHash(id, paid);
      setRefused(undefined);
      setSent(paid);
    },
  };
}
