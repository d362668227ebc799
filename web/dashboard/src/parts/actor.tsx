import { useApi } from "../api/queries.ts";
import type { MemberList } from "../api/records.ts";
import { hasScope, useWorkspace } from "../api/session.ts";
import { shortenId } from "./id.tsx";

const NAMES_STALE_MS = 10 * 60_000;

/** Who did something: a colleague by name, a key by its id. */
export function Actor({ id }: { id: string | null | undefined }) {
  const workspace = useWorkspace();
  const { member } = workspace.session;
  const isOther = id?.startsWith("mem_") === true && id !== member.id;
  const { data } = useApi<MemberList>("/v1/members", {
    staleMs: NAMES_STALE_MS,
    isWanted: isOther && hasScope(workspace, "members:read"),
  });
  if (!id) return <>your shop</>;
  if (id === member.id) return <>you</>;
  if (id === "operator") return <>the operator</>;
  const found = data?.body.data.find((one) => one.id === id);
  if (found !== undefined) return <>{found.name ?? found.email}</>;
  return (
    <>
      {isOther && "a colleague, "}
      <span className="mono">{shortenId(id)}</span>
    </>
  );
}
