// The page in a design that a shop tries out, with made-up payments. The dashboard frames it and sends the design. The
// page runs as ever, but what it would read from the service is made here: it calls nothing, cannot be used, and has
// nobody's address.
import type { Status } from "@pay/sdk/browser";

type Shop = Status["shop"];
type State = keyof typeof CHANGES;

const READY: Omit<Status, "shop"> = {
  id: "pay_preview",
  status: "pending",
  isTest: false,
  amount: "24",
  baseAmount: "24000000",
  dueBaseAmount: "24000000",
  currency: "native",
  symbol: "USDC",
  decimals: 6,
  chainId: 1,
  chainName: "Ethereum",
  isTestnet: false,
  chainRpcUrl: null,
  chainSymbol: "ETH",
  chainDecimals: 18,
  recipientAddress: `0x${"•".repeat(40)}`,
  payTo: `0x${"•".repeat(40)}`,
  description: "10481",
  expiresAt: "9999-12-31T00:00:00.000Z",
  serverTime: "2026-01-01T00:00:00.000Z",
  extensionsLeft: 0,
  txHash: null,
  explorerTxUrl: null,
  receivedAmount: null,
  missingAmount: null,
  confirmations: null,
  confirmationsNeeded: null,
  estimatedSeconds: null,
  arrived: [],
  refunds: [],
  failureCode: null,
  needs: null,
  payerMessage: null,
  qrMode: false,
  // As long as that of a payment, so that the code looks like one.
  paymentUri: "This is a preview of the checkout page. Nothing can be paid with this code.",
  authorization: null,
  x402Url: null,
  transaction: { to: "", value: "0x0", data: "0x" },
  returnUrl: "#",
  cancelUrl: "#",
  displayAmount: null,
  locale: null,
};

const CHANGES = {
  ready: {},
  part: { receivedAmount: "16", missingAmount: "8", dueBaseAmount: "8000000" },
  paid: { status: "confirmed", receivedAmount: "24" },
  expired: { status: "expired" },
} as const satisfies Record<string, Partial<Status>>;

/** Fields of a design; any may be null but the name. */
const RULES: Readonly<Record<keyof Shop, RegExp>> = {
  displayName: /^/,
  primaryColor: /^#[\da-f]{6}$/i,
  theme: /^(?:light|dark)$/,
  supportUrl: /^https:\/\//,
  logoUrl: /^\/pay\/logos\/[\da-f]{64}$/,
};

/** Undefined for anything but a whole design. */
function readDesign(data: unknown): Status | undefined {
  const { state, shop } = (data ?? {}) as { state?: unknown; shop?: Partial<Shop> };
  if (typeof state !== "string" || !Object.hasOwn(CHANGES, state)) return undefined;
  if (typeof shop?.displayName !== "string") return undefined;
  const fields = Object.keys(RULES) as (keyof Shop)[];
  const isWhole = fields.every((field) => {
    const value: unknown = shop[field];
    return value === null || (typeof value === "string" && RULES[field].test(value));
  });
  if (!isWhole) return undefined;
  const { displayName, primaryColor, theme, supportUrl, logoUrl } = shop as Shop;
  const design = { displayName, primaryColor, theme, supportUrl, logoUrl };
  return { ...READY, ...CHANGES[state as State], shop: design };
}

const WALLET = {
  info: { uuid: "00000000-0000-4000-8000-000000000001", name: "Wallet" },
  provider: { request: never },
};

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Every shopper has a wallet, whatever this browser has. */
function announceWallet(): void {
  const announce = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: WALLET }));
  window.addEventListener("eip6963:requestProvider", announce);
}

/** The page asks for the status of its payment, and gets that of the last design. */
function answerPage(): void {
  let status: Status | undefined;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  window.fetch = async (_, init) => {
    const isStatus = init?.method === undefined;
    const isStream = new Headers(init?.headers).has("Accept");
    if (!isStatus || isStream) return never();
    await begun;
    return Response.json(status);
  };
  window.addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || origin !== location.origin) return;
    const design = readDesign(data);
    if (design === undefined) return;
    status = design;
    begin();
    // The page asks again.
    window.dispatchEvent(new Event("online"));
  });
}

const page = document.getElementById("checkout");
if (page !== null) page.inert = true;
// The keyboard scrolls the page, which has nothing else to reach.
document.body.tabIndex = 0;
history.replaceState(null, "", "/pay/pay_preview#cs_test_preview");
announceWallet();
answerPage();
parent.postMessage("preview is ready", location.origin);
