import type { ChannelOptions } from "@grpc/grpc-js";

const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Both sides of every channel. */
export const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MESSAGE_BYTES_MAX,
  "grpc.max_send_message_length": MESSAGE_BYTES_MAX,
  // Records about each call that only an administration service of gRPC would read, and none is offered.
  "grpc.enable_channelz": 0,
};

/**
 * Finds servers that hang without closing. A server does without it: a connection whose client is gone ends with its
 * age, and a ping on a connection that ends would cost the calls under way (draining.ts).
 */
export const CLIENT_OPTIONS: ChannelOptions = {
  ...CHANNEL_OPTIONS,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 3_000,
  "grpc.keepalive_permit_without_calls": 1,
};

/** Seconds, of the histograms of both sides. */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
