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
  /** host:port of the brokers to ask first, separated by commas. */
  KAFKA_BROKERS: list,
  KAFKA_SSL: variable.flag(),
  /** Files in PEM form: whom to trust, and who we are where the brokers ask. */
  KAFKA_SSL_CA_FILE: z.string().optional(),
  KAFKA_SSL_CERT_FILE: z.string().optional(),
  KAFKA_SSL_KEY_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: z.enum(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  /** Lets a password travel without TLS. */
  KAFKA_INSECURE: variable.flag(),
  /** Before the name of every topic and group, so that installations can share a cluster. */
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]{0,100}$/)
    .default(""),
  /** Missing topics are created at the start; off where an operator creates them. */
  KAFKA_TOPIC_CREATE: z
    .enum(["0", "1"])
    .default("1")
    .transform((text) => text === "1"),
  /** Of a topic created here; also the bound on how many replicas of a service share its work. */
  KAFKA_TOPIC_PARTITIONS: z.coerce.number().int().min(1).max(1_000).default(12),
  /** Of a topic created here; 0 leaves it to the brokers. */
  KAFKA_TOPIC_REPLICATION: z.coerce.number().int().min(0).max(10).default(0),
  /** Largest record sent; below the brokers' message.max.bytes. */
  KAFKA_RECORD_BYTES_MAX: z.coerce.number().int().min(10_000).max(100_000_000).default(900_000),
} as const;

export type KafkaConfig = z.infer<z.ZodObject<typeof kafkaConfig>>;

export interface KafkaSettings {
  brokers: readonly string[];
  ssl?: boolean | ConnectionOptions;
  sasl?: SASLOptions;
  topicPrefix?: string;
  topicCreate?: boolean;
  topicPartitions?: number;
  /** 0 leaves it to the brokers. */
  topicReplication?: number;
  recordBytesMax?: number;
}

/** The variables as createKafkaBus takes them. */
export function kafkaSettings(config: KafkaConfig): KafkaSettings {
  const ssl = buildSsl(config);
  const sasl = buildSasl(config);
  return {
    brokers: config.KAFKA_BROKERS,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    topicCreate: config.KAFKA_TOPIC_CREATE,
    topicPartitions: config.KAFKA_TOPIC_PARTITIONS,
    topicReplication: config.KAFKA_TOPIC_REPLICATION,
    recordBytesMax: config.KAFKA_RECORD_BYTES_MAX,
  };
}

function buildSsl(config: KafkaConfig): boolean | ConnectionOptions | undefined {
  const ca = readPem("KAFKA_SSL_CA_FILE", config.KAFKA_SSL_CA_FILE);
  const cert = readPem("KAFKA_SSL_CERT_FILE", config.KAFKA_SSL_CERT_FILE);
  const key = readPem("KAFKA_SSL_KEY_FILE", config.KAFKA_SSL_KEY_FILE);
  if (ca === undefined && cert === undefined && key === undefined) {
    return config.KAFKA_SSL ? true : undefined;
  }
  if (!config.KAFKA_SSL) throw new ConfigError(["KAFKA_SSL must be 1 where its files are given"]);
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

function readPem(variableName: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${variableName} names a file that cannot be read (${code})`]);
  }
}
