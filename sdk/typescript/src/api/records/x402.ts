// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface X402Support {
  /** One for each chain on which the operator pays the gas. */
  kinds: Array<{
    /** Version of x402. */
    x402Version: number;
    /** Scheme of payment. */
    scheme: string;
    /** Chain, by CAIP-2. */
    network: string;
    /** What is known of the chain. */
    extra: {
      /** Tokens whose payers can sign. */
      tokens: Array<{
        /** Contract address of the token. */
        address: string;
        /** Decimals of the token. */
        decimals: number;
        /** Name of the token's domain (EIP-712). */
        name: string;
        /** Version of the token's domain (EIP-712). */
        version: string;
      }>;
    };
  }>;
  /** Extensions of x402; none. */
  extensions: Array<string>;
  /** Wallets that send, by chain. */
  signers: Record<string, Array<string>>;
}

export interface X402Verification {
  /** Whether the payment would succeed now. */
  isValid: boolean;
  /** Why not, by the error names of x402. */
  invalidReason: string | null;
  /** Wallet that pays. */
  payer: string;
}

export interface X402Settlement {
  /** Whether the transfer is in a block. */
  success: boolean;
  /** Why not, by the error names of x402. */
  errorReason: string | null;
  /** Wallet that pays. */
  payer: string;
  /** Hash of the transaction; empty without one. */
  transaction: string;
  /** Chain, by CAIP-2. */
  network: string;
  /** Id of the payment; null unless it succeeded. */
  paymentId: string | null;
}

export interface X402SettlementState {
  /** `spent`: the money has moved; `unspent`: it may still; `cancelled`, `expired`: it never will. */
  state: "spent" | "unspent" | "cancelled" | "expired";
  /** Transaction that spends it; null before one is sent. */
  transaction: string | null;
  /** Id; its prefix names the type of the resource. */
  paymentId: string;
}
