// Has a signed payment settled before its resource is made, so that nothing is given away. The same signature gets the
// same resource again, so that nobody pays twice for an answer that was lost.
import type { Pay } from "../client.ts";
import { PayError } from "../errors.ts";
import {
  digest,
  encode,
  parsePayment,
  SCHEME,
  type Terms,
  toBaseUnits,
  X402_VERSION,
} from "./protocol.ts";

export interface Price {
  /** In whole units of the token, e.g. `0.05`. */
  amount: string;
  chainId: number;
  /** Contract address of the token. */
  currency: string;
  /** A default wallet of your project, or the recipient of an earlier payment. */
  payTo: string;
}

/** The same for each request that the payer repeats. */
export interface SettledPayment {
  /** Id of the payment, e.g. for a refund. */
  id: string;
  /** Wallet that has paid. */
  payer: string;
  /** Hash of the transaction. */
  transaction: string;
}

export interface Purchase {
  method: string;
  url: string;
  /** The PAYMENT-SIGNATURE header. */
  signature: string | undefined;
}

export type Outcome = {
  headers: Record<string, string>;
} & ({ payment: SettledPayment } | { status: number; message: string });

type Facilitator = Pick<Pay, "x402">;

const TERMS_MS = 60_000;
const TERMS_TIMEOUT_MS = 10_000;
/** The service waits half a minute for a block; a second try waits as long for the same transfer. */
const SETTLE_OPTIONS = { timeoutMs: 65_000, retriesMax: 1 };
const SIGNED_SECONDS = 300;
/** Clients count from their own clocks. */
const CLOCK_SECONDS = 60;
/** How long a paid resource can be requested again, after the end of what was signed. */
const REPEAT_SECONDS = 600;
const DESCRIPTION_LENGTH_MAX = 500;
const TEMPORARY = [0, 408, 429];

export function createPaymentTaker({ x402 }: Facilitator, price: Price) {
  let known: { terms: Terms; until: number } | undefined;

  async function getTerms(): Promise<Terms> {
    const now = Date.now();
    if (known !== undefined && now < known.until) return known.terms;
    // Others use the earlier ones meanwhile.
    if (known !== undefined) known.until = now + TERMS_TIMEOUT_MS;
    const terms = await readTerms(x402, price);
    known = { terms, until: now + TERMS_MS };
    return terms;
  }

  async function settle({ method, url, signature }: Purchase): Promise<Outcome> {
    const terms = await getTerms();
    if (signature === undefined) return refuse(terms, url, "PAYMENT-SIGNATURE is missing");
    const signed = parsePayment(signature);
    if (signed === undefined) {
      const message = "PAYMENT-SIGNATURE must be a payment payload for what PAYMENT-REQUIRED asks";
      return { status: 400, message, headers: {} };
    }
    const { payload, ticket, validBefore } = signed;
    if (!isInTime(validBefore)) {
      return refuse(terms, url, "invalid_exact_evm_payload_authorization_valid_before");
    }
    const resource = `${method} ${url.slice(url.indexOf("://") + 3)}`;
    const settled = await x402.settle(
      {
        x402Version: X402_VERSION,
        paymentPayload: payload,
        paymentRequirements: terms,
        orderId: await digest(`${ticket} ${resource}`),
        description: resource.slice(0, DESCRIPTION_LENGTH_MAX),
      },
      SETTLE_OPTIONS,
    );
    const { success, errorReason, payer, transaction, network, paymentId } = settled;
    if (!success || paymentId === null) {
      const refused = refuse(terms, url, errorReason ?? "invalid_transaction_state");
      const answer = { success: false, errorReason, payer, transaction: "", network };
      refused.headers["PAYMENT-RESPONSE"] = encode(answer);
      return refused;
    }
    return {
      payment: { id: paymentId, payer, transaction },
      headers: {
        "PAYMENT-RESPONSE": encode({ success: true, payer, transaction, network }),
        // A cache in front must not give it to others.
        "Cache-Control": "private",
      },
    };
  }

  return async function takePayment(purchase: Purchase): Promise<Outcome> {
    try {
      return await settle(purchase);
    } catch (error) {
      return toOutcome(error);
    }
  };
}

async function readTerms(x402: Facilitator["x402"], price: Price): Promise<Terms> {
  const { amount, chainId, currency, payTo } = price;
  const { kinds } = await x402.supported({ timeoutMs: TERMS_TIMEOUT_MS, retriesMax: 1 });
  const network = `eip155:${chainId}`;
  const token = kinds
    .find((kind) => kind.network === network)
    ?.extra.tokens.find(({ address }) => address.toLowerCase() === currency.toLowerCase());
  if (token === undefined) {
    throw new TypeError(`the service pays no gas for ${currency} on chain ${chainId}`);
  }
  const { address: asset, decimals, name, version } = token;
  return {
    scheme: SCHEME,
    network,
    amount: toBaseUnits(amount, decimals),
    asset,
    payTo,
    maxTimeoutSeconds: SIGNED_SECONDS,
    extra: { assetTransferMethod: "eip3009", name, version },
  };
}

function isInTime(validBefore: number): boolean {
  const seconds = Date.now() / 1_000;
  return (
    validBefore + REPEAT_SECONDS > seconds &&
    validBefore <= seconds + SIGNED_SECONDS + CLOCK_SECONDS
  );
}

function refuse(terms: Terms, url: string, error: string) {
  const ticket = crypto.randomUUID();
  const accepts = [{ ...terms, extra: { ...terms.extra, ticket } }];
  const required = { x402Version: X402_VERSION, error, resource: { url }, accepts };
  const headers: Record<string, string> = {
    "PAYMENT-REQUIRED": encode(required),
    "Cache-Control": "no-store",
  };
  return { status: 402, message: error, headers };
}

/** No failure of the service is a refusal: a client that signs again could pay twice. */
function toOutcome(error: unknown): Outcome {
  if (!(error instanceof PayError)) throw error;
  const { status, code, message, retryAfter = "1" } = error;
  if (code === "field_invalid") return { status: 400, message, headers: {} };
  if (code === "payer_screened") return { status: 403, message, headers: {} };
  if (code === "authorization_spent") return { status: 409, message, headers: {} };
  const headers = { "Retry-After": retryAfter };
  if (status === 409) return { status: 409, message, headers };
  if (status >= 500 || TEMPORARY.includes(status)) {
    return { status: 503, message: `${message}; send the same request again`, headers };
  }
  throw error;
}
