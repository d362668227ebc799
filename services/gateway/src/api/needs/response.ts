import { toChainId } from "@pay/values";
import { z } from "zod";
import type { ShownNeed } from "../../needs/list-needs.ts";
import { NEED_KINDS } from "../../needs/need.ts";
import { SOURCE_NAMES } from "../../needs/sources.ts";
import { PAY_ID } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { listPeopleIn, type People, personOrNull, renderPerson } from "../people.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

export interface NamedNeed extends ShownNeed, People {}

const FIELDS = {
  id: {
    schema: shown.string("Id of what waits, e.g. of a payment.", PAY_ID),
    of: (need: NamedNeed) => need.id,
  },
  kind: {
    schema: shown.choice(NEED_KINDS, "Why it waits.", "part"),
    of: (need: NamedNeed) => need.kind,
  },
  createdAt: { schema: shown.createdAt, of: (need: NamedNeed) => need.at.toISOString() },
  amount: {
    schema: shown.stringOrNull("Amount of what waits; null for an endpoint.", "150"),
    of: (need: NamedNeed) => need.amount,
  },
  receivedAmount: {
    schema: shown.stringOrNull("What came for the payment; null for nothing.", "100"),
    of: (need: NamedNeed) => need.receivedAmount,
  },
  chainId: {
    schema: shown.integerOrNull("Chain id; null for an endpoint.", 1),
    of: (need: NamedNeed) => (need.chainId === null ? null : toChainId(need.chainId)),
  },
  currency: {
    schema: shown.stringOrNull("`native` or a token contract; null for an endpoint.", "native"),
    of: (need: NamedNeed) => need.currency,
  },
  orderId: {
    schema: shown.stringOrNull("Order of the payment; null without one."),
    of: (need: NamedNeed) => need.orderId,
  },
  paymentId: {
    schema: shown.stringOrNull("Payment that it belongs to; null without one.", PAY_ID),
    of: (need: NamedNeed) => need.paymentId,
  },
  detail: {
    schema: shown.stringOrNull(
      "Reason of a refund or transfer, destination of a settlement, URL of an endpoint, month of a difference.",
    ),
    of: (need: NamedNeed) => need.detail,
  },
  failures: {
    schema: shown.integerOrNull(
      "Deliveries that the endpoint failed in a row, at most 100; null for others.",
    ),
    of: (need: NamedNeed) => need.failures,
  },
  requestedBy: {
    schema: personOrNull("Who requested the refund or settlement; null for others."),
    of: (need: NamedNeed) => renderPerson(need.requestedBy, need),
  },
  takenBy: {
    schema: personOrNull("Who deals with it; null for nobody."),
    of: (need: NamedNeed) => renderPerson(need.state.takenBy, need),
  },
  note: {
    schema: shown.stringOrNull("Note of a person; null without one."),
    of: (need: NamedNeed) => need.state.note,
  },
  doneAt: {
    schema: shown.timeOrNull("Time at which a person called it done; null before."),
    of: (need: NamedNeed) => shown.storedTime(need.state.doneAt),
  },
};

const NAMES = listNames(FIELDS);

const needItem = buildShape("NeedItem", FIELDS, NAMES);

const STATE_NAMES = ["id", "kind", "takenBy", "note", "doneAt"] as const;

/** Without what only those may read who may read the thing itself. */
export const needState = buildShape("NeedState", FIELDS, [...STATE_NAMES]);

export function renderState(need: NamedNeed) {
  return pick(FIELDS, STATE_NAMES, need);
}

export const needList = z
  .strictObject({
    data: z.array(needItem).describe("Items of this page."),
    incomplete: z.array(z.enum(SOURCE_NAMES)).meta({
      description: "What could not be asked in time, so that the list may lack some of it.",
      example: [],
    }),
  })
  .meta({ id: "NeedList" });

export function renderNeed(need: NamedNeed) {
  return pick(FIELDS, NAMES, need);
}

/** Whose names an answer needs. */
export function listPeople(needs: readonly ShownNeed[]) {
  return listPeopleIn(needs.flatMap(({ requestedBy, state }) => [requestedBy, state.takenBy]));
}
