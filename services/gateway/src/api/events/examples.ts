import type { Examples } from "../example-answers.ts";
import { CREATED_AT, EVENT_BODY, EVENT_ID, PAY_ID } from "../example-values.ts";

const events = {
  data: [
    {
      id: EVENT_ID,
      type: "payment.confirmed",
      resourceId: PAY_ID,
      sequence: 3,
      occurredAt: CREATED_AT,
      body: EVENT_BODY,
    },
  ],
  hasMore: false,
};

export const EXAMPLES: Examples = {
  "GET /v1/events": { response: events },
  "GET /v1/events/stream": { response: events },
};
