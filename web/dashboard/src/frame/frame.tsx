// What stands around every page: navigation, the mode, the account.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { SESSION } from "../api/own.ts";
import { type Session, type Workspace, WorkspaceContext } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { Failed, Loading, State } from "../parts/states.tsx";
import { Account } from "./account.tsx";
import { ChainLine } from "./chain-line.tsx";
import { Find } from "./find.tsx";
import { Keys } from "./keys.tsx";
import { BottomBar, Navigation } from "./navigation.tsx";
import { PasskeyLine } from "./passkey-line.tsx";
import { Project } from "./project.tsx";

const NeedsPasskey = later(async () => (await import("./passkey.tsx")).NeedsPasskey);

/** Loaded once the page is there. */
function useLive(workspace: Workspace) {
  const client = useQueryClient();
  const kept = useRef(workspace);
  kept.current = workspace;
  const { membership, mode } = workspace;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another project or mode is followed anew
  useEffect(() => {
    let isOver = false;
    let stop = () => {};
    void import("../api/live.ts").then(({ followProject }) => {
      if (!isOver) stop = followProject(kept.current, client);
    });
    return () => {
      isOver = true;
      stop();
    };
  }, [client, membership.projectId, mode]);
}

function findWorkspace(session: Session, projectId: string | undefined, isTest: boolean) {
  const { memberships } = session;
  const membership =
    memberships.find((known) => known.projectId === projectId) ?? memberships.at(0);
  if (membership === undefined) return undefined;
  return { session, membership, mode: isTest ? ("test" as const) : ("live" as const) };
}

function ModeSwitch({ mode }: Pick<Workspace, "mode">) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  /** Ids and filters belong to one mode, so the other begins at the list. */
  function choose(next: Workspace["mode"]) {
    const [page = ""] = pathname.split("/").filter(Boolean);
    void navigate({
      to: `/${page}` as "/",
      search: ({ project }: { project?: string | undefined }) => ({
        project,
        mode: next === "test" ? ("test" as const) : undefined,
      }),
    });
  }

  return (
    <fieldset className="mode" aria-label="Mode">
      <button type="button" aria-pressed={mode === "live"} onClick={() => choose("live")}>
        <span className="dot good" />
        Live
      </button>
      <button type="button" aria-pressed={mode === "test"} onClick={() => choose("test")}>
        {mode === "test" && <span className="dot heed" />}
        Test
      </button>
    </fieldset>
  );
}

function Shell({ workspace }: { workspace: Workspace }) {
  useLive(workspace);
  return (
    <WorkspaceContext value={workspace}>
      <a className="skip" href="#main">
        To the content
      </a>
      <div className="app">
        <aside className="side">
          <Project workspace={workspace} />
          <Navigation />
          <div className="foot">
            <ChainLine />
            <p>
              <Icon name="docs" isSmall />
              <a href="/docs">API reference</a> · <Keys />
            </p>
          </div>
        </aside>
        <div>
          {workspace.mode === "test" && (
            <p className="test-bar">Test mode: no real money is on these pages</p>
          )}
          <header className="top">
            <Project workspace={workspace} isTile />
            <Find />
            <div className="end">
              <ModeSwitch mode={workspace.mode} />
              <Account session={workspace.session} />
            </div>
          </header>
          <main className="page" id="main" tabIndex={-1}>
            <PasskeyLine session={workspace.session} />
            <Outlet />
          </main>
        </div>
        <BottomBar />
      </div>
    </WorkspaceContext>
  );
}

export function Frame() {
  const { mode, project } = useSearch({ from: "__root__" });
  const { data: session, error, refetch } = useQuery(SESSION);
  useEffect(() => {
    document.documentElement.dataset.mode = mode ?? "live";
  }, [mode]);
  if (session === undefined) {
    return (
      <main className="page">
        {error ? (
          <Failed what="the dashboard" error={error} retry={refetch} />
        ) : (
          <Loading what="the dashboard" />
        )}
      </main>
    );
  }
  if (session.needsPasskey) {
    return (
      <main className="page">
        <NeedsPasskey session={session} />
      </main>
    );
  }
  const workspace = findWorkspace(session, project, mode === "test");
  if (workspace === undefined) {
    return (
      <main className="page">
        <State icon="lock" title="You are in no project">
          An owner of a project invites you.
        </State>
      </main>
    );
  }
  return <Shell workspace={workspace} />;
}
