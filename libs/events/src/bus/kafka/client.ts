// How every connection to Kafka is made: bounded in time, without Nagle's delay, and with the library's own messages in
// the debug log only.
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Log } from "@pay/process";
import { type ISocketFactory, Kafka, logLevel } from "kafkajs";
import Runner from "kafkajs/src/consumer/runner.js";
import RequestQueue from "kafkajs/src/network/requestQueue/index.js";
import type { KafkaSettings } from "./config.ts";
import "./fast-decode.ts";

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 20_000;

/** Tries inside the library, kept few: our own loops decide what happens when they are used up. */
export const RETRY = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  factor: 0.2,
  multiplier: 2,
  retries: 6,
} as const;

export function createKafka(settings: KafkaSettings, clientId: string, log: Log): Kafka {
  return new Kafka({
    clientId,
    brokers: [...settings.brokers],
    ...(settings.ssl === undefined ? {} : { ssl: settings.ssl }),
    ...(settings.sasl === undefined ? {} : { sasl: settings.sasl }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    authenticationTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRY,
    socketFactory,
    logLevel: logLevel.WARN,
    // While a broker is away the library logs it several times a second. createFaultLog logs it once.
    logCreator: () => (entry) => log.debug({ part: entry.namespace }, entry.log.message),
  });
}

// As the library's own, but small requests leave at once instead of waiting for an acknowledgement.
const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = ssl
    ? connectTls({ host, port, ...name, ...ssl }, onConnect)
    : connectTcp({ host, port }, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.setNoDelay(true);
  return socket;
};

/**
 * kafkajs 2.2.4 looks at its queue of waiting requests again and again, every millisecond, for as long as a
 * connection lives, and on Node 24 each look also raises a TimeoutNegativeWarning. The look is only needed while
 * something waits, so only then is it planned. Fixing the cause leaves no warning to hide.
 */
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
  const throttledMs = this.throttledUntil - Date.now();
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    throttledMs > 0 ? throttledMs : PENDING_LOOK_MS,
  );
};

const PENDING_LOOK_MS = 10;

const fetchOfLibrary = Runner.prototype.fetch;

/**
 * A consumer of kafkajs 2.2.4 that is stopped while it makes new fetchers, because a broker came or went, stops the
 * ones before them only. The new ones ask for ever, are answered at once with nothing, and let nothing else of the
 * process run. So a fetcher of a stopped consumer ends with its first question.
 */
Runner.prototype.fetch = async function (this: Runner, nodeId: number): Promise<unknown[]> {
  if (!this.running) void this.fetchManager.stop();
  return fetchOfLibrary.call(this, nodeId);
};
