// The member who is signed in, and the project and mode in which the pages work.
import { createContext, useContext } from "react";

export type Mode = "live" | "test";

export interface Membership {
  projectId: string;
  projectName: string;
  liveScopes: "all" | string[];
  testScopes: "all" | string[];
  liveRole: string | null;
  testRole: string | null;
  /** What the member may refund a day although the role may not. */
  refundLimits: object[];
  /** Names of some owners. */
  owners: string[];
}

export interface Session {
  member: { id: string; name: string; email: string };
  csrfToken: string;
  memberships: Membership[];
  methods: { passkey: boolean; oidc: string | null };
  /** Nothing but a way to add a passkey is open. */
  needsPasskey: boolean;
  hasPasskey: boolean;
  confirmedAt: string | null;
}

export interface Workspace {
  session: Session;
  membership: Membership;
  mode: Mode;
}

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === undefined) throw new Error("a page needs a workspace");
  return workspace;
}

export function getRole({ membership, mode }: Workspace): string | null {
  return mode === "live" ? membership.liveRole : membership.testRole;
}

export function hasScope({ membership, mode }: Workspace, scope: string): boolean {
  const scopes = mode === "live" ? membership.liveScopes : membership.testScopes;
  return scopes === "all" || scopes.includes(scope);
}

/** Whether the member may refund at all, if only up to limits. */
function mayRefund(workspace: Workspace): boolean {
  const isLimited = workspace.membership.refundLimits.length > 0;
  return hasScope(workspace, isLimited ? "refunds:read" : "refunds:write");
}

/** Who has limits changes only what is the own. */
export function mayChangeRefund(
  workspace: Workspace,
  { requestedBy }: { requestedBy?: string | null },
): boolean {
  const isOwn = requestedBy === workspace.session.member.id;
  return hasScope(workspace, "refunds:write") || (isOwn && mayRefund(workspace));
}
