import { useNavigate } from "@tanstack/react-router";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import type { Workspace } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";

/** The project, and a choice where the member has several. */
export function Project({
  workspace: { session, membership, mode },
  isTile = false,
}: {
  workspace: Workspace;
  isTile?: boolean;
}) {
  const navigate = useNavigate();
  const { memberships } = session;
  const { projectName } = membership;
  const tile = <span className="tile">{projectName.charAt(0).toUpperCase()}</span>;
  const shown = isTile ? (
    tile
  ) : (
    <>
      {tile}
      <span className="name">{projectName}</span>
    </>
  );
  if (memberships.length === 1) {
    return (
      <div className={isTile ? "project-tile" : "project"} title={projectName}>
        {shown}
      </div>
    );
  }
  function choose(projectId: string) {
    const search = { project: projectId, mode: mode === "test" ? ("test" as const) : undefined };
    void navigate({ to: "/payments", search });
  }

  return (
    <MenuTrigger>
      <Button
        className={isTile ? "project-tile" : "project"}
        aria-label={`Project: ${projectName}`}
      >
        {shown}
        {!isTile && <Icon name="switch" isSmall />}
      </Button>
      <Popover className="menu" placement="bottom start">
        <Menu aria-label="Projects" onAction={(id) => choose(String(id))}>
          {memberships.map((one) => (
            <MenuItem key={one.projectId} id={one.projectId}>
              {one.projectName}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
