// How processes identify each other. The list of a caller's tokens is one variable under one name everywhere: the
// caller sends the first, the services it calls accept all, so that a token can be replaced while everything runs.
import type { z } from "zod";
import { processConfig, readConfig, variable } from "./config.ts";

export interface Identity {
  /** Sent with every call; a process without one calls no other. */
  readonly token: string | undefined;
  /** The tokens of each caller, by its name. */
  readonly callers: Readonly<Record<string, readonly string[]>>;
  /** Folder with its certificate and the authority of its peers; without one, calls are plaintext. */
  readonly tlsDir?: string;
}

function getVariable(caller: string): string {
  return `${caller.toUpperCase()}_CALLER_TOKENS`;
}

/** The schema, and besides the tokens of these callers. They are read by the process, so the type stays as it is. */
export function withCallerTokens<S extends z.ZodObject>(schema: S, callers: readonly string[]): S {
  const shape = Object.fromEntries(callers.map((name) => [getVariable(name), variable.tokens()]));
  return schema.extend(shape) as unknown as S;
}

/** The identity of a process, from a configuration that was read with the tokens. */
export function toIdentity(name: string, config: Record<string, unknown>): Identity {
  const own = config[getVariable(name)] as string[] | undefined;
  const callers = Object.entries(config).flatMap(([key, tokens]) => {
    const caller = /^([A-Z]+)_CALLER_TOKENS$/.exec(key)?.[1];
    return caller === undefined ? [] : [[caller.toLowerCase(), tokens as string[]]];
  });
  const { RPC_TLS_DIR: tlsDir } = config as { RPC_TLS_DIR?: string };
  return {
    token: own?.[0],
    callers: Object.fromEntries(callers),
    ...(tlsDir !== undefined && { tlsDir }),
  };
}

/** For programs that runService does not start. */
export function readIdentity(
  name: string,
  callers: readonly string[],
  env: Record<string, string | undefined>,
): Identity {
  const schema = processConfig.pick({ RPC_TLS_DIR: true });
  return toIdentity(name, readConfig(withCallerTokens(schema, callers), env));
}
