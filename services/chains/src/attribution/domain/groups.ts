// Transfers of one value that fit several payments each. As far as they hang together they are paid out when there are
// as many transfers as payments, all from different wallets, and they can be matched one to one: then it does not
// matter to the merchant which is whose.
import type { Arrival } from "./decision.ts";
import type { Orders } from "./orders.ts";

interface Member {
  arrival: Arrival;
  /** As they were at its place. */
  candidates: readonly string[];
}

/** Larger groups are a person's to decide. */
const MEMBERS_MAX = 20;

export class Groups {
  readonly #book: Orders;
  /** All that fitted several payments. */
  readonly #waiting: Member[] = [];

  constructor(book: Orders) {
    this.#book = book;
  }

  /** The payments of the members, where the new one completes its group. */
  add(arrival: Arrival, candidates: readonly string[]): Map<Arrival, string> {
    const added = { arrival, candidates };
    this.#waiting.push(added);
    const { members, payments } = this.#connected(added);
    const senders = new Set(members.map((member) => member.arrival.sender));
    const isComplete =
      members.length === payments.length &&
      senders.size === members.length &&
      members.length <= MEMBERS_MAX &&
      payments.every((id) => this.#takes(id, arrival));
    // Its payments are paid then, so no later transfer hangs together with it.
    return (isComplete ? this.#match(members, payments) : undefined) ?? new Map();
  }

  #takes(paymentId: string, { value }: Arrival): boolean {
    return this.#book.isExactlyDue(paymentId, value) && this.#book.get(paymentId)?.isHeld === false;
  }

  #connected(from: Member): { members: Member[]; payments: string[] } {
    const members = new Set([from]);
    const payments = new Set(from.candidates);
    for (let before = -1; before !== members.size; ) {
      before = members.size;
      for (const member of this.#waiting) {
        if (member.arrival.value !== from.arrival.value) continue;
        if (!member.candidates.some((id) => payments.has(id))) continue;
        members.add(member);
        for (const id of member.candidates) payments.add(id);
      }
    }
    // Both as they came: transfers in the order of the chain, payments in that of their opening.
    const opened = this.#book.list().map(({ paymentId }) => paymentId);
    return {
      members: this.#waiting.filter((member) => members.has(member)),
      payments: opened.filter((id) => payments.has(id)),
    };
  }

  /** Each member gets the first payment with which the others still find one. */
  #match(
    members: readonly Member[],
    payments: readonly string[],
  ): Map<Arrival, string> | undefined {
    const given = new Map<Arrival, string>();
    let free = [...payments];
    for (const [at, member] of members.entries()) {
      const rest = members.slice(at + 1);
      const chosen = free.find(
        (id) =>
          this.#fits(member, id) &&
          this.#isMatchable(
            rest,
            free.filter((other) => other !== id),
          ),
      );
      if (chosen === undefined) return undefined;
      given.set(member.arrival, chosen);
      free = free.filter((id) => id !== chosen);
    }
    return given;
  }

  #fits({ arrival, candidates }: Member, paymentId: string): boolean {
    const signedBy = this.#book.get(paymentId)?.signedBy;
    return candidates.includes(paymentId) && (signedBy ?? arrival.sender) === arrival.sender;
  }

  /** By augmenting paths. */
  #isMatchable(members: readonly Member[], payments: readonly string[]): boolean {
    const takenBy = new Map<string, Member>();
    const place = (member: Member, tried: Set<string>): boolean =>
      payments.some((id) => {
        if (!this.#fits(member, id) || tried.has(id)) return false;
        tried.add(id);
        const holder = takenBy.get(id);
        if (holder !== undefined && !place(holder, tried)) return false;
        takenBy.set(id, member);
        return true;
      });
    return members.every((member) => place(member, new Set()));
  }
}
