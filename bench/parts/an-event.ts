// Events of many projects, as payments writes them.
import { type OutboxRow, outboxRow } from "@pay/events";
import { newId } from "@pay/values";

const PROJECTS = Array.from({ length: 100 }, () => newId("proj"));

let made = 0;

export function anEvent(): OutboxRow {
  const projectId = PROJECTS[made++ % PROJECTS.length] as string;
  const id = newId("pay");
  const seconds = BigInt(Math.floor(Date.now() / 1_000));
  return outboxRow({
    type: "payment.created",
    projectId,
    resourceId: id,
    sequence: 1,
    requestId: newId("del"),
    occurredAt: { seconds, nanos: 0 },
    resource: {
      case: "payment",
      value: {
        id,
        projectId,
        status: "created",
        amount: "100.50",
        baseAmount: "100500000",
        decimals: 6,
        currency: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
        chainId: 137n,
        recipientAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        description: "Order 4711, two books and a pen",
        metadataJson: '{"cart":"c_8812","customer":"4711","channel":"web"}',
        orderId: "order-4711",
        expiresAt: { seconds: seconds + 900n, nanos: 0 },
        createdAt: { seconds, nanos: 0 },
        version: 1,
      },
    },
  });
}
