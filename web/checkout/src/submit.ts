// Hands the wallet's hash to the server, and again until the server has it: after a lost connection, and when the page
// is opened again.
import { useEffect, useState } from "preact/hooks";
import { forgetSent, recallSent, rememberSent, type Sent } from "./remembered.ts";
import type { Server, Status } from "./status.ts";

const AGAIN_MS = 3_000;

interface Handed {
  hash: string;
  payer: string | undefined;
}

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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;

    async function hand({ hash, payer }: Handed, to: Server): Promise<void> {
      const answer = await to.submit(hash, payer);
      if (ended) return;
      if (answer.kind === "offline") {
        timer = setTimeout(() => void hand({ hash, payer }, to), AGAIN_MS);
        return;
      }
      // The chain was faster than this page: the product has found the transfer, and with it who sent it.
      if (answer.kind === "refused" && answer.code === "payer_fixed" && payer !== undefined) {
        return hand({ hash, payer: undefined }, to);
      }
      if (answer.kind === "refused") {
        forgetSent(id);
        setSent(undefined);
        setRefused(answer.code);
      }
      onTaken();
    }

    void hand(sent, server);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
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
