// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { PaymentSummary } from "./records/summary.ts";

export interface SummaryGetQuery {
  /** First day in UTC; 29 days before the last one by default. */
  from?: string | undefined;
  /** Last day in UTC; today by default. */
  to?: string | undefined;
}

export interface Summary {
  /** Read what was started, paid, received and refunded, by day and currency. */
  get(query?: SummaryGetQuery, options?: CallOptions): Promise<Answer<PaymentSummary>>;
}
