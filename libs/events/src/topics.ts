/** One topic per kind of news; inside a topic, records of one project share a key and so keep their order. */
export const TOPICS = {
  payments: "payments.events.v1",
  settlements: "settlements.events.v1",
  refunds: "refunds.events.v1",
  customers: "customers.events.v1",
  projects: "projects.events.v1",
  observations: "chains.observations.v1",
} as const;

export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

/**
 * The noun before the dot of an event's type decides its topic and which resource it carries. A new verb
 * (payment.disputed) needs no change here: consumers that do not know it let it pass.
 */
const NEWS = {
  payment: { topic: TOPICS.payments, resource: "payment" },
  settlement: { topic: TOPICS.settlements, resource: "settlement" },
  refund: { topic: TOPICS.refunds, resource: "refund" },
  customer: { topic: TOPICS.customers, resource: "customer" },
  project: { topic: TOPICS.projects, resource: "project" },
  transfer: { topic: TOPICS.observations, resource: "observation" },
} as const;

export type News = (typeof NEWS)[keyof typeof NEWS];

/** Where an event of this type goes and what it carries; undefined for a type nobody has defined. */
export const newsOf = (type: string): News | undefined => {
  const [noun = "", verb = ""] = type.split(".");
  return verb !== "" && Object.hasOwn(NEWS, noun) ? NEWS[noun as keyof typeof NEWS] : undefined;
};
