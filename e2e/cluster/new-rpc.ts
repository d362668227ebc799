// What a merchant sees of an rpc that only the second build knows, while pods of both builds answer.
import type { Answer } from "../harness/api.ts";
import { createPayment, type Merchant } from "../harness/merchant.ts";
import type { Kube } from "./kube.ts";
import { NEW_RPC, NOTE } from "./second-build.ts";

const PAUSE_MS = 100;
const ALONE = { Connection: "close" };

export interface Explanations {
  /** Answers by kind. */
  seen: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/**
 * Asks for the explanation of one payment again and again; only the second build explains it with the note. Each
 * question has a connection of its own, because one that is kept stays with its pod.
 */
export async function watchExplanations({ api }: Merchant): Promise<Explanations> {
  const { id } = await createPayment(api);
  const seen = new Map<string, number>();
  let stopping = false;
  async function ask() {
    while (!stopping) {
      const kind = await api.get(`/v1/payments/${id}/explain`, ALONE).then(getKind, String);
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  const asking = ask();
  return {
    seen,
    stop: async () => {
      stopping = true;
      await asking;
    },
  };
}

export const EXPLAINED = { before: "200 without the note", since: "200 with the note" };
export const NOT_YET = "503 The service is not available";

function getKind({ status, body }: Answer): string {
  if (status !== 200) return `${status} ${body.message}`;
  return body.note === NOTE ? EXPLAINED.since : EXPLAINED.before;
}

/** Calls of the gateway's pods that a service of the build before did not know, by their logs. */
export async function unknownCalls(kube: Kube): Promise<number> {
  const selector = "app.kubernetes.io/component=gateway";
  const logs = await kube.kubectl(["logs", "-l", selector, "--tail=-1", "--max-log-requests=20"]);
  return logs.split("\n").filter((line) => line.includes(NEW_RPC) && line.includes("UNIMPLEMENTED"))
    .length;
}
