// The payments that transfers to a wallet may pay, and what each is due while the transfers are taken one by one.
import type { Address, Amount } from "@pay/values";
import { toAmount } from "@pay/values";

export interface Order {
  paymentId: string;
  amount: Amount;
  openedAt: Date;
  /** A moment after it was cancelled, else when it expires. */
  endsAt: Date;
  /** The wallet that has signed that it pays this payment. */
  signedBy: Address | undefined;
  /** Its project wants no transfer that names no payment. */
  isHeld: boolean;
  /** From then on it is due nothing that names no payment: a part was refunded, or less was accepted. */
  closedAt: Date | undefined;
}

/** The stamp of a block may be so much ahead of or behind our clock at most. */
export const SLACK_MAX_MS = 4_000;
/** A transfer after the end is late money of a payment for so long. */
const LATE_MS = 24 * 3_600_000;
/** What is below such a part of an amount is noise: it counts, and nobody is told. */
const DUST_DIVISOR = 1_000n;

/** A payment may be opened a moment after the stamp of the block that its transfer is in, and no later. */
export function isOpenAt({ openedAt, endsAt }: Order, time: Date, slackMs: number): boolean {
  return openedAt.getTime() <= time.getTime() + slackMs && time <= endsAt;
}

/** What was refunded or accepted may be in a block whose stamp is a moment after that. */
function isClosedAt({ closedAt }: Order, time: Date, slackMs: number): boolean {
  return closedAt !== undefined && closedAt.getTime() + slackMs < time.getTime();
}

export function isDust(amount: Amount, value: Amount): boolean {
  return value * DUST_DIVISOR < amount;
}

interface State {
  order: Order;
  received: Amount;
  /** The whole amount, and each remainder that a page has shown. */
  asked: Set<Amount>;
}

type Place = { arrivedAt: Date; value: Amount };

export class Orders {
  readonly slackMs: number;
  readonly #states = new Map<string, State>();

  /** In the order of their opening. */
  constructor(orders: readonly Order[], slackMs: number) {
    this.slackMs = slackMs;
    const sorted = orders.toSorted(
      (a, b) => a.openedAt.getTime() - b.openedAt.getTime() || (a.paymentId < b.paymentId ? -1 : 1),
    );
    for (const order of sorted) {
      this.#states.set(order.paymentId, {
        order,
        received: toAmount(0n),
        asked: new Set([order.amount]),
      });
    }
  }

  list(): Order[] {
    return [...this.#states.values()].map(({ order }) => order);
  }

  get(paymentId: string): Order | undefined {
    return this.#states.get(paymentId)?.order;
  }

  left(paymentId: string): bigint {
    const state = this.#states.get(paymentId);
    return state === undefined ? 0n : state.order.amount - state.received;
  }

  isExactlyDue(paymentId: string, value: Amount): boolean {
    const state = this.#states.get(paymentId);
    return state !== undefined && this.left(paymentId) > 0n && state.asked.has(value);
  }

  /** Those that are due something from a transfer that names no payment, at its place. */
  due({ arrivedAt }: Pick<Place, "arrivedAt">): Order[] {
    return this.list().filter(
      (order) =>
        !isClosedAt(order, arrivedAt, this.slackMs) &&
        this.left(order.paymentId) > 0n &&
        isOpenAt(order, arrivedAt, this.slackMs),
    );
  }

  exactlyDue(place: Place): Order[] {
    return this.due(place).filter(({ paymentId }) => this.isExactlyDue(paymentId, place.value));
  }

  /** Those that ended within a day and are still due exactly this. */
  exactlyDueLate({ arrivedAt, value }: Place): Order[] {
    return this.list().filter(
      (order) =>
        !isClosedAt(order, arrivedAt, this.slackMs) &&
        order.endsAt < arrivedAt &&
        arrivedAt.getTime() - order.endsAt.getTime() <= LATE_MS &&
        this.isExactlyDue(order.paymentId, value),
    );
  }

  credit(paymentId: string, value: Amount): void {
    const state = this.#states.get(paymentId);
    if (state === undefined) return;
    state.received = toAmount(state.received + value);
    const left = state.order.amount - state.received;
    if (left > 0n && !isDust(state.order.amount, value)) state.asked.add(toAmount(left));
  }
}
