// Roles in words, and what an own role can be given.
import type { Role } from "../../api/records.ts";

const ABOUT: Record<string, string> = {
  owner: "Everything, members and keys included",
  finance:
    "Reads everything but requests, changes payments, refunds and settlements, approves settlements",
  support:
    "Reads everything but members, statements and the audit log, changes payments and customers; refunds up to the member's limits",
  developer:
    "Reads everything, changes webhooks; in test mode also payments, refunds and customers",
  viewer: "Reads everything but the audit log and requests",
};

export function describeRole({ name, liveScopes }: Role): string {
  return ABOUT[name] ?? liveScopes.join(", ");
}
