// The text of a notice. It has ids, kinds and numbers; amounts and names are behind the sign-in.
import type { KeyMode } from "../keys/caller.ts";
import type { ShownNeed } from "../needs/list-needs.ts";
import type { NeedKind } from "../needs/need.ts";
import type { Project } from "../projects/storage.ts";

export type Open = ShownNeed & { mode: KeyMode };

const WORDS: Record<NeedKind, string> = {
  part: "a part of a payment arrived",
  late: "money arrived after the time to pay",
  ambiguous: "money arrived that could be for several payments",
  review: "a payment is in review",
  wrong_token: "another token arrived",
  unmatched_transfer: "money arrived without a payment",
  refund_destination: "a refund needs a wallet",
  refund_signature: "a refund is to be signed",
  settlement_approval: "a settlement is to be approved",
  settlement_signature: "a settlement is to be signed",
  endpoint_failing: "a webhook endpoint fails",
  endpoint_disabled: "a webhook endpoint was disabled",
  book_difference: "the books and the chain differ",
};

export function describeNeeds(
  { id, name }: Pick<Project, "id" | "name">,
  open: readonly Open[],
  origin: string | undefined,
): { subject: string; text: string; page: string | null } {
  const number = open.length;
  const subject = `${number} ${number === 1 ? "thing waits" : "things wait"} for a person of ${name}`;
  const lines = open.map(
    (need) => `- ${WORDS[need.kind]}${need.mode === "test" ? " (test)" : ""}: ${need.id}`,
  );
  const isTest = open.every(({ mode }) => mode === "test");
  const page =
    origin === undefined
      ? null
      : `${origin}/dashboard/needs?project=${id}${isTest ? "&mode=test" : ""}`;
  const text = [`${subject}:`, lines.join("\n"), ...(page === null ? [] : [page])].join("\n\n");
  return { subject, text, page };
}
