// Roles in words, and who can change them.
import { getRole, type Workspace } from "../api/session.ts";

export function formatRole(name: string | null): string {
  if (name === null) return "None";
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The member's own role as the subject of a sentence. */
export function nameOwnRole(workspace: Workspace): string {
  const role = getRole(workspace);
  return role === null
    ? `Your account, without a role in ${workspace.mode} mode,`
    : `Your role, ${formatRole(role)},`;
}

/** The sentence that says who can give the member a right. */
export function nameOwners({ membership: { owners } }: Workspace): string {
  if (owners.length === 0) return "The operator can change that.";
  return `An owner can change that: ${owners.join(", ")}.`;
}
