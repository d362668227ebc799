import { Failure } from "@pay/failures";
import type { z } from "zod";

const FAULTS_MAX = 20;

type Issue = { input?: unknown };

// Only for schemas without a rule of their own; zod's own texts may quote the value.
function fallback(issue: Issue) {
  return issue.input === undefined ? "is required" : "is not valid";
}

/** Collects the faults in the parts of one request, one per field, and throws all of them in one failure. */
export function createFaults() {
  const faults = new Map<string, string>();
  return {
    read: <S extends z.ZodType>(schema: S, value: unknown, whole: string): z.output<S> => {
      const result = schema.safeParse(value, { error: fallback });
      if (result.success) return result.data;
      for (const { path, message } of result.error.issues) {
        const name = path.length === 0 ? whole : path.map(String).join(".");
        if (!faults.has(name)) faults.set(name, `${name} ${message}`);
      }
      return undefined as z.output<S>;
    },
    throwIfAny: (): void => {
      if (faults.size === 0) return;
      const messages = [...faults.values()].slice(0, FAULTS_MAX);
      throw new Failure("field_invalid", messages.join("; "));
    },
  };
}
