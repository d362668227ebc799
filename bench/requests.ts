/** The nth creation of a payment as bytes, with an idempotency key of its own. */
export function makeCreation(
  { key, chainId }: { key: string; chainId: number },
  n: number,
): string {
  const body = JSON.stringify({
    amount: "1.5",
    chainId,
    currency: "native",
    recipientAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    description: `order ${n}`,
  });
  return [
    "POST /v1/payments HTTP/1.1",
    "Host: 127.0.0.1",
    `X-Secret-Key: ${key}`,
    `Idempotency-Key: bench-${process.pid}-${n}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}
