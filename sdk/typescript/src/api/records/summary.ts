// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface PaymentSummary {
  /** First day. */
  from: string;
  /** Last day. */
  to: string;
  /** Median from creation to confirmation, of the newest 100 confirmed payments of the period; null without one. */
  medianWaitSeconds: number | null;
  /** Sums of the whole period, by currency. */
  totals: Array<SummaryTotal>;
  /** Sums by day and currency, oldest first; none where nothing was. */
  days: Array<SummaryDay>;
}

export interface SummaryTotal {
  /** Chain id. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Payments created on the day. */
  started: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
  /** Payments confirmed on the day. */
  paid: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
  /** Money of the day, and payments whose first it was; negative where a reorganisation took more. */
  received: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
  /** Refunds completed on the day, and payments that they were the first of; negative where more were undone. */
  refunded: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
}

export interface SummaryDay {
  /** Day in UTC. */
  day: string;
  /** Chain id. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Payments created on the day. */
  started: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
  /** Payments confirmed on the day. */
  paid: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
  /** Money of the day, and payments whose first it was; negative where a reorganisation took more. */
  received: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
  /** Refunds completed on the day, and payments that they were the first of; negative where more were undone. */
  refunded: {
    /** Number of payments. */
    payments: number;
    /** Sum in whole units of the currency, as a decimal string. */
    amount: string;
  };
}
