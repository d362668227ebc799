// The one internal part of kafkajs that client.ts repairs; the library ships no types for it.
declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    readonly pending: readonly unknown[];
    readonly throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
  }
}
