import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { ConfigError, variable } from "@pay/process";
import type { SASLOptions } from "kafkajs";
import { z } from "zod";

const list = z
  .string()
  .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
  .refine((brokers) => brokers.length > 0, "names no broker");

/** The variables of every process that talks to Kafka; spread into its own schema. */
export const kafkaConfig = {
  /** host:port of the brokers to contact first, separated by commas. */
  KAFKA_BROKERS: list,
  /** Connects with TLS. The files are in PEM form: whom to trust, and who we are where the brokers require it. */
  KAFKA_SSL: variable
    .parts(
      z.strictObject({
        caFile: z.string().optional(),
        certFile: z.string().optional(),
        keyFile: z.string().optional(),
      }),
      '{} or {"caFile": "ca.pem", "certFile": "cert.pem", "keyFile": "key.pem"}',
    )
    .optional(),
  KAFKA_SASL_MECHANISM: z.enum(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  /** Lets a password travel without TLS. */
  KAFKA_INSECURE: variable.flag(),
  KAFKA_TOPICS: variable
    .parts(
      z.strictObject({
        /** Before the name of every topic and group, so that installations can share a cluster. */
        prefix: z
          .string()
          .regex(/^[a-zA-Z0-9._-]{0,100}$/)
          .default(""),
        /** Missing topics are created at the start; off where an operator creates them. */
        create: z.boolean().default(true),
        /** Of a topic created here; also the bound on how many replicas of a service share its work. */
        partitions: z.int().min(1).max(1_000).default(12),
        /** Of a topic created here; 0 leaves it to the brokers. */
        replication: z.int().min(0).max(10).default(0),
        /** Whether the last event of each resource is also on a compacted topic. */
        state: z.boolean().default(false),
      }),
      '{"prefix": "eu.", "create": true, "partitions": 12, "replication": 3, "state": false}',
    )
    .prefault("{}"),
} as const;

export type KafkaConfig = z.infer<z.ZodObject<typeof kafkaConfig>>;

export interface KafkaSettings {
  brokers: readonly string[];
  ssl?: ConnectionOptions;
  sasl?: SASLOptions;
  topicPrefix?: string;
  topicCreate?: boolean;
  topicPartitions?: number;
  /** 0 leaves it to the brokers. */
  topicReplication?: number;
  topicState?: boolean;
  /** Of the largest record sent; below the brokers' message.max.bytes. Tests lower it. */
  recordBytesMax?: number;
}

/** The variables as createKafkaBus takes them. */
export function kafkaSettings(config: KafkaConfig): KafkaSettings {
  const ssl = buildSsl(config);
  const sasl = buildSasl(config);
  const topics = config.KAFKA_TOPICS;
  return {
    brokers: config.KAFKA_BROKERS,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    topicPrefix: topics.prefix,
    topicCreate: topics.create,
    topicPartitions: topics.partitions,
    topicReplication: topics.replication,
    topicState: topics.state,
  };
}

function buildSsl({ KAFKA_SSL: files }: KafkaConfig): ConnectionOptions | undefined {
  if (files === undefined) return undefined;
  const ca = readPem("caFile", files.caFile);
  const cert = readPem("certFile", files.certFile);
  const key = readPem("keyFile", files.keyFile);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

function buildSasl(config: KafkaConfig): SASLOptions | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username } = config;
  const password = config.KAFKA_SASL_PASSWORD;
  if (mechanism === undefined) return undefined;
  if (username === undefined || password === undefined) {
    throw new ConfigError([
      "KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD",
    ]);
  }
  if (mechanism === "plain" && !config.KAFKA_SSL && !config.KAFKA_INSECURE) {
    throw new ConfigError([
      "KAFKA_SASL_MECHANISM plain sends the password as it is and needs KAFKA_SSL (KAFKA_INSECURE=1 allows it without)",
    ]);
  }
  return { mechanism, username, password } as SASLOptions;
}

function readPem(part: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`KAFKA_SSL: ${part} names a file that cannot be read (${code})`]);
  }
}
