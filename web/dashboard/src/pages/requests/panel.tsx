// One request beside the list: what was asked, by whom, and what came of it.
import { useEffect, useRef } from "react";
import type { RequestLogItem } from "../../api/records.ts";
import { useWorkspace } from "../../api/session.ts";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { Fact } from "../../parts/fact.tsx";
import { Id, shortenId } from "../../parts/id.tsx";
import { ClosePanel } from "../../parts/panel.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeRequest } from "../../status-words.ts";
import { formatDate, formatExact } from "../../times.ts";

type Actor = RequestLogItem["actor"];

/** A person by name, a key by its name or its id. */
export function nameActor({ type, id, name }: Actor): string {
  if (type === "shopper" || id === null) return "A shopper";
  return name ?? (type === "key" ? `Key ${shortenId(id)}` : shortenId(id));
}

function Who({ actor }: { actor: Actor }) {
  const { session } = useWorkspace();
  const { id, name, type } = actor;
  return (
    <>
      {name ?? (type === "key" ? "Key" : nameActor(actor))}
      {id === session.member.id && <span className="faint"> (you)</span>}
      {id !== null && <Id text={id} label="id of the caller" />}
    </>
  );
}

export function RequestPanel({ request }: { request: RequestLogItem }) {
  const { id, method, path, route, actor, errorCode, durationMs, requestId, createdAt } = request;
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another request is another panel
  useEffect(() => panel.current?.focus({ preventScroll: true }), [id]);
  return (
    <aside className="card panel" aria-label="Request" ref={panel} tabIndex={-1}>
      <header>
        <h2 className="mono">{method}</h2>
        <Status words={describeRequest(request)} />
        <span className="end">
          <CopyAsCurl method={method} path={path} />
          <ClosePanel />
        </span>
      </header>
      <div className="body">
        <dl className="facts">
          <Fact name="Path">
            <span className="mono">{path}</span>
          </Fact>
          {route !== path && (
            <Fact name="Route">
              <span className="mono">{route}</span>
            </Fact>
          )}
          {errorCode !== null && (
            <Fact name="Error code">
              <a className="mono" href={`/docs/errors#${errorCode}`}>
                {errorCode}
              </a>
              <span className="faint"> says what to correct</span>
            </Fact>
          )}
          <Fact name="Who">
            <Who actor={actor} />
          </Fact>
          <Fact name="Made">
            <Time at={createdAt} format={formatExact} />
            <span className="faint">{formatDate(createdAt)}</span>
          </Fact>
          <Fact name="Took">{durationMs} ms</Fact>
          <Fact name="Request id">
            <Id text={requestId} label="request id" />
          </Fact>
        </dl>
      </div>
    </aside>
  );
}
