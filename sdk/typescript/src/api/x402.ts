// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type {
  X402Settlement,
  X402SettlementState,
  X402Support,
  X402Verification,
} from "./records/x402.ts";

export interface X402VerifyBody {
  /** 2. */
  x402Version: number;
  /** The payload of `PAYMENT-SIGNATURE`. */
  paymentPayload: {
    /** 2. */
    x402Version: number;
    /** What the payer has chosen. */
    accepted: {
      /** `exact` is the only one. */
      scheme: string;
      /** Chain, by CAIP-2. */
      network: string;
    };
    /** What the payer has signed. */
    payload: {
      /** The message of the typed data, as the wallet has signed it. */
      authorization: {
        /** The payer's wallet, which has signed. */
        from: string;
        /** `payTo` of the payment. */
        to: string;
        /** `dueBaseAmount` of the payment. */
        value: string;
        /** Time after which it is valid, in seconds since 1970. */
        validAfter: string;
        /** Time before which it is valid, in seconds since 1970. */
        validBefore: string;
        /** Nonce; it begins with the reference of the payment. */
        nonce: string;
      };
      /** Signature of the typed data, in hex. */
      signature: string;
    };
  };
  /** What your server asks for. */
  paymentRequirements: {
    /** `exact` is the only one. */
    scheme: string;
    /** Chain, by CAIP-2. */
    network: string;
    /** Amount in the smallest unit. */
    amount: string;
    /** Contract of the token. */
    asset: string;
    /** Your wallet: a default wallet, or the recipient of an earlier payment. */
    payTo: string;
  };
}

export interface X402SettleBody {
  /** 2. */
  x402Version: number;
  /** The payload of `PAYMENT-SIGNATURE`. */
  paymentPayload: {
    /** 2. */
    x402Version: number;
    /** What the payer has chosen. */
    accepted: {
      /** `exact` is the only one. */
      scheme: string;
      /** Chain, by CAIP-2. */
      network: string;
    };
    /** What the payer has signed. */
    payload: {
      /** The message of the typed data, as the wallet has signed it. */
      authorization: {
        /** The payer's wallet, which has signed. */
        from: string;
        /** `payTo` of the payment. */
        to: string;
        /** `dueBaseAmount` of the payment. */
        value: string;
        /** Time after which it is valid, in seconds since 1970. */
        validAfter: string;
        /** Time before which it is valid, in seconds since 1970. */
        validBefore: string;
        /** Nonce; it begins with the reference of the payment. */
        nonce: string;
      };
      /** Signature of the typed data, in hex. */
      signature: string;
    };
  };
  /** What your server asks for. */
  paymentRequirements: {
    /** `exact` is the only one. */
    scheme: string;
    /** Chain, by CAIP-2. */
    network: string;
    /** Amount in the smallest unit. */
    amount: string;
    /** Contract of the token. */
    asset: string;
    /** Your wallet: a default wallet, or the recipient of an earlier payment. */
    payTo: string;
  };
  /** Your own reference of what is sold; the authorization pays for no other one. */
  orderId?: string | null | undefined;
  /** Text that the customer reads. */
  description?: string | null | undefined;
}

export interface X402 {
  /** List the payments that the service settles. */
  supported(options?: CallOptions): Promise<Answer<X402Support>>;
  /** Verify that a signed payment would succeed. */
  verify(body: X402VerifyBody, options?: CallOptions): Promise<Answer<X402Verification>>;
  /** Settle a signed payment: a payment is created for it, and its transfer sent. */
  settle(body: X402SettleBody, options?: CallOptions): Promise<Answer<X402Settlement>>;
  readonly settlements: {
    /** Read whether a signed payment is spent, after a lost answer. */
    get(
      chainId: string | number,
      asset: string,
      payer: string,
      nonce: string,
      options?: CallOptions,
    ): Promise<Answer<X402SettlementState>>;
  };
}
