import type { ChannelOptions } from "@grpc/grpc-js";

const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Both sides of every channel. Keepalive finds peers that hang without closing; the server must allow its pace. */
export const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MESSAGE_BYTES_MAX,
  "grpc.max_send_message_length": MESSAGE_BYTES_MAX,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 3_000,
  "grpc.keepalive_permit_without_calls": 1,
};
