// Hands the wallet's hash to the server, and again until the server has it: after a lost connection, and when the page
// is opened again.
import {
  forgetSent,
  handIn,
  recallSent,
  rememberSent,
  type Sent,
  type Server,
  type Status,
} from "@pay/sdk/browser";
import { useEffect, useState } from "preact/hooks";

export function useSubmission(given: {
  id: string;
  server: Server | undefined;
  status: Status | undefined;
  onTaken: () => void;
}) {
  const { id, server, status, onTaken } = given;
  const [sent, setSent] = useState<Sent | undefined>(() => recallSent(id));
  const [refused, setRefused] = useState<string>();
  const isKnown = sent !== undefined && status?.txHash === sent.hash;

  useEffect(() => {
    if (sent === undefined || server === undefined || status === undefined) return;
    if (isKnown) {
      forgetSent(id);
      setSent(undefined);
      return;
    }
    const leaving = new AbortController();
    async function hand(own: Sent, to: Server): Promise<void> {
      const { refused: code } = await handIn(to, own, leaving.signal);
      if (leaving.signal.aborted) return;
      if (code !== undefined) {
        forgetSent(id);
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
    submit: (paid: Sent) => {
      rememberSent(id, paid);
      setRefused(undefined);
      setSent(paid);
    },
  };
}
