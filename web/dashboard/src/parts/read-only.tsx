import { useWorkspace } from "../api/session.ts";
import { Icon } from "./icon.tsx";
import { nameOwners, nameOwnRole } from "./role.ts";

/** Why a member sees something and cannot change it. */
export function ReadOnly({ what }: { what: string }) {
  const workspace = useWorkspace();
  return (
    <p className="note gap-4">
      <Icon name="lock" />
      <span>
        {nameOwnRole(workspace)} sees {what} and does not change it. {nameOwners(workspace)}
      </span>
    </p>
  );
}
