import { Failure } from "@pay/rpc";
import type { z } from "zod";

const FAULTS_MAX = 20;

type Issue = { input?: unknown };

/** The sentence after a field's name when its value breaks the rule; a missing field is told apart. */
export const must = (rule: string) => ({
  error: (issue: Issue) => (issue.input === undefined ? "is required" : `must ${rule}`),
});

// Only for schemas without a rule of their own; zod's own texts may quote the value.
const fallback = (issue: Issue) => (issue.input === undefined ? "is required" : "is not valid");

/** Collects what is wrong with the parts of one request, one fault per field, and tells all of it at once. */
export const createFaults = () => {
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
      throw new Failure("invalid_argument", messages.join("; "));
    },
  };
};
