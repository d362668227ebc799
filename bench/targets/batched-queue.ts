// The same queue with the rows of attempts grouped.
import type { TargetOptions, WebhookTarget } from "../parts/webhook-target.ts";
import { startQueue } from "./queue.ts";

export function startTarget(options: TargetOptions): Promise<WebhookTarget> {
  return startQueue(options, { batched: true });
}
