import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callOwn, withConfirmation } from "../../api/own.ts";
import { useWorkspace } from "../../api/session.ts";

const DETAILS_PATH = "/dashboard/account/details";

export interface Passkey {
  id: string;
  name: string;
  /** On more than one device. */
  isBackedUp: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface SignIn {
  id: string;
  method: "link" | "passkey" | "recovery" | "oidc";
  agent: string | null;
  createdAt: string;
  seenAt: string;
  isCurrent: boolean;
}

export interface AccountDetails {
  member: { id: string; name: string; email: string };
  passkeys: Passkey[];
  signIns: SignIn[];
  recoveryCodes: { left: number };
}

export function useAccount() {
  const { session } = useWorkspace();
  return useQuery({
    queryKey: ["account"],
    queryFn: () => callOwn<AccountDetails>(session, DETAILS_PATH, { method: "GET" }),
  });
}

interface Change {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: object;
}

/** A change of the account, confirmed by a passkey where the service wants it. */
export function useChangeAccount<Body = unknown>() {
  const { session } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ path, ...call }: Change) =>
      withConfirmation(session, () => callOwn<Body>(session, `/dashboard/account/${path}`, call)),
    onSettled: () => client.invalidateQueries(),
  });
}
