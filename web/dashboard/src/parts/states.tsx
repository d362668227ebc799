// States that a page or a part of it can have besides its content.
import { onlineManager, type UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { confirm, isConfirmationRequired } from "../api/own.ts";
import { ApiError } from "../api/send.ts";
import { useWorkspace } from "../api/session.ts";
import { PasskeyError } from "../passkey-error.ts";
import { formatTime } from "../times.ts";
import { Icon, type IconName } from "./icon.tsx";
import { nameOwners, nameOwnRole } from "./role.ts";

const SLOW_MS = 200;
const GHOSTS = ["w-62", "w-48", "w-70", "w-55", "w-40"];

export function State({
  icon,
  title,
  children,
  actions,
  isBad = false,
}: {
  icon: IconName;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  isBad?: boolean;
}) {
  return (
    <section className="state" role={isBad ? "alert" : undefined}>
      <span className={isBad ? "badge bad" : "badge"}>
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {actions && <div className="do">{actions}</div>}
    </section>
  );
}

/** Why the last attempt failed, beside what was attempted. */
export function ErrorNote({ error, isApart = false }: { error: Error; isApart?: boolean }) {
  return (
    <p className={isApart ? "note bad gap-2" : "note bad"} role="alert">
      <Icon name="warning" />
      <span>
        <ErrorText error={error} />
      </span>
    </p>
  );
}

/** Grey lines, only once an answer takes longer than a moment. */
export function Loading({ what }: { what: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="ghosts" role="status" aria-label={`Loading ${what}`}>
      {isSlow &&
        GHOSTS.map((width) => (
          <div key={width}>
            <span className="ghost w-amount" />
            <span className="ghost w-status" />
            <span className={`ghost ${width}`} />
          </div>
        ))}
    </div>
  );
}

function describeError(error: Error): string {
  if (error instanceof ApiError || error instanceof PasskeyError) return error.message;
  if (error.name === "TimeoutError") return "The service did not answer in time.";
  return "The service cannot be reached.";
}

export function ErrorText({ error }: { error: Error }) {
  const isKnown = error instanceof ApiError;
  return (
    <>
      {describeError(error)}
      {isKnown && (
        <>
          {" "}
          <a href={`/docs/errors#${error.code}`}>
            <code>{error.code}</code>
          </a>
          {error.requestId !== "" && (
            <>
              {" "}
              Request <span className="mono">{error.requestId}</span>
            </>
          )}
        </>
      )}
    </>
  );
}

function NoRight({ what, error }: { what: string; error: ApiError }) {
  const workspace = useWorkspace();
  return (
    <State icon="lock" title={`${nameOwnRole(workspace)} does not see ${what}`}>
      {error.message}. {nameOwners(workspace)}
    </State>
  );
}

/** A page that is open to a member who proves to be there. */
function Unconfirmed({ what, retry }: { what: string; retry: () => unknown }) {
  const { session } = useWorkspace();
  const [error, setError] = useState<Error>();
  const proceed = () => confirm(session).then(retry, setError);
  const way = session.hasPasskey ? "a passkey" : (session.methods.oidc ?? "a passkey");
  return (
    <State
      icon="lock"
      title="Confirm that it is you"
      actions={
        <button type="button" className="button primary" onClick={() => void proceed()}>
          Continue with {way}
        </button>
      }
    >
      {error === undefined ? (
        `You see ${what} for ten minutes after you have confirmed.`
      ) : (
        <ErrorText error={error} />
      )}
    </State>
  );
}

export function Failed({
  what,
  error,
  retry,
}: {
  what: string;
  error: Error;
  retry: () => unknown;
}) {
  if (error instanceof ApiError && error.status === 403) {
    return <NoRight what={what} error={error} />;
  }
  if (isConfirmationRequired(error)) return <Unconfirmed what={what} retry={retry} />;
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)} cannot be shown now`;
  return (
    <State
      isBad
      icon="fault"
      title={title}
      actions={
        <button type="button" className="button" onClick={() => void retry()}>
          <Icon name="retry" />
          Retry
        </button>
      }
    >
      <ErrorText error={error} />
    </State>
  );
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
}

/** The content, or the state that stands in its place. */
export function Loaded<Data>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<Data, Error>;
  what: string;
  children: (data: Data) => ReactNode;
}) {
  const isOnline = useOnline();
  const { error, refetch, dataUpdatedAt, isPlaceholderData } = query;
  // Without a connection, rows of another address must not stand under this one.
  const data = isPlaceholderData && !isOnline ? undefined : query.data;
  if (data === undefined) {
    if (!isOnline) {
      return (
        <State icon="offline" title="No connection">
          The page goes on by itself when you are back.
        </State>
      );
    }
    if (error) return <Failed what={what} error={error} retry={refetch} />;
    return <Loading what={what} />;
  }
  const isStale = !isOnline || error !== null;
  return (
    <>
      {isStale && (
        <p className="note heed" role="status">
          <Icon name="offline" />
          <span>
            {isOnline ? "The newest could not be read." : "No connection."} This is what was true at{" "}
            {formatTime(new Date(dataUpdatedAt).toISOString())}.
          </span>
        </p>
      )}
      {children(data)}
    </>
  );
}
