// The shortest complete story of a payment, over REST only: `helm test` runs it inside a cluster, the container
// story and the cluster run use the same steps. It needs only fetch.
export interface StoryOptions {
  baseUrl: string;
  secretKey: string;
  publishableKey: string;
  /** 0 or absent: the development chain, or else the first one listed. */
  chainId?: number;
  /** A development node with unlocked accounts; without it the payment is created and read, but not paid. */
  developmentRpcUrl?: string;
  timeoutMs?: number;
  say?: (line: string) => void;
}

export interface StoryResult {
  paymentId: string;
  status: string;
}

const CALL_TIMEOUT_MS = 30_000;
const POLL_MS = 250;
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const AMOUNT = { decimal: "0.0015", base: "0x5543df729c000" };

// biome-ignore lint/suspicious/noExplicitAny: a story reads the fields it expects, and fails where they are missing
type Body = any;

class StoryFault extends Error {}

export async function runStory(options: StoryOptions): Promise<StoryResult> {
  const { developmentRpcUrl, say = () => {} } = options;
  const merchant = createCaller(options, { "X-Secret-Key": options.secretKey });
  const shopper = createCaller(options, { "X-Publishable-Key": options.publishableKey });

  const chainId = await chooseChain(options, await shopper.get("/v1/chains"));
  say(`chain ${chainId}`);
  const order = {
    amount: AMOUNT.decimal,
    chainId,
    currency: "native",
    recipientAddress: RECIPIENT,
    description: "Installation test",
  };
  const key = { "Idempotency-Key": `story-${Date.now()}-${Math.random().toString(36).slice(2)}` };
  const payment = await merchant.post("/v1/payments", order, key);
  const again = await merchant.post("/v1/payments", order, key);
  require(again.id === payment.id, "the same order was taken twice");
  say(`created ${payment.id}`);
  const read = await merchant.get(`/v1/payments/${payment.id}`);
  require(read.status === "created", `a new payment is ${read.status}`);
  const { data } = await merchant.get("/v1/payments?limit=20");
  require(data.some(
    ({ id }: { id: string }) => id === payment.id,
  ), "the payment is not in the list");
  if (!developmentRpcUrl) return { paymentId: payment.id, status: read.status };

  const txHash = await pay(developmentRpcUrl);
  say(`paid by ${txHash}`);
  const proof = { clientSecret: payment.clientSecret, txHash };
  await shopper.post(`/v1/payments/${payment.id}/confirm`, proof);
  const status = await settled(merchant, payment.id, options.timeoutMs ?? 60_000);
  require(status === "confirmed", `the paid payment is ${status}`);
  say("confirmed");
  return { paymentId: payment.id, status };
}

function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new StoryFault(otherwise);
}

async function chooseChain(options: StoryOptions, listed: Body): Promise<number> {
  if (options.chainId) return options.chainId;
  if (options.developmentRpcUrl) {
    return Number(await callNode(options.developmentRpcUrl, "eth_chainId", []));
  }
  require(listed.length > 0, "no chain is offered: the log of the chains service says why");
  return listed[0].chainId;
}

async function settled(merchant: Caller, id: string, timeoutMs: number): Promise<string> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const { status } = await merchant.get(`/v1/payments/${id}`);
    if (!["created", "processing"].includes(status) || Date.now() > until) return status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Caller {
  get(path: string): Promise<Body>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Body>;
}

function createCaller({ baseUrl }: StoryOptions, key: Record<string, string>): Caller {
  async function call(path: string, init: RequestInit): Promise<Body> {
    const response = await fetch(baseUrl + path, {
      ...init,
      // We stand where the Ingress stands, which ended TLS.
      headers: { ...key, "X-Forwarded-Proto": "https", ...init.headers },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new StoryFault(`${init.method} ${path} was answered ${response.status} ${text}`);
  }

  return {
    get: (path) => call(path, { method: "GET" }),
    post: (path, body, headers = {}) =>
      call(path, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
  };
}

async function pay(rpcUrl: string): Promise<string> {
  const [from] = (await callNode(rpcUrl, "eth_accounts", [])) as string[];
  require(from !== undefined, "the development node holds no account");
  const transfer = { from, to: RECIPIENT, value: AMOUNT.base };
  return (await callNode(rpcUrl, "eth_sendTransaction", [transfer])) as string;
}

async function callNode(rpcUrl: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const { result, error } = (await response.json()) as Body;
  require(error === undefined, `the node answered ${method} with ${error?.message}`);
  return result;
}
