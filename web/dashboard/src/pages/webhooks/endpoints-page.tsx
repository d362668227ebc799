import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import {
  countEvents,
  ENDPOINTS_PATH,
  nameEndpoint,
  useEndpointHealth,
  useEndpoints,
} from "../../api/endpoints.ts";
import { useWrite } from "../../api/queries.ts";
import type { WebhookEndpoint, WebhookEndpointHealth } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote, Loaded, State } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { describeEndpoint } from "../../status-words.ts";
import { formatDate, formatWhen } from "../../times.ts";
import {
  AddDialog,
  CountDialog,
  DeleteDialog,
  EditDialog,
  type Missed,
  ResendDialog,
  RotateDialog,
  type Secret,
  SecretDialog,
} from "./endpoint-dialogs.tsx";
import { WebhookHead } from "./head.tsx";
import { formatMedian, SuccessRate, Ticks } from "./health.tsx";

type Open =
  | { what: "add" }
  | { what: "edit" | "rotate" | "delete" | "count"; endpoint: WebhookEndpoint }
  | { what: "resend"; endpoint: WebhookEndpoint; missed: Missed }
  | { what: "secret"; secret: Secret };

type Choice = Extract<Open, { what: "edit" | "rotate" | "delete" | "count" }>["what"];

function Actions({
  endpoint,
  choose,
}: {
  endpoint: WebhookEndpoint;
  choose: (what: Choice) => void;
}) {
  const { mutate, error, isSuccess, variables } = useWrite();
  const { id, enabled, isDefault, nextSecretActiveAt, url } = endpoint;
  const name = nameEndpoint(endpoint);
  const path = `${ENDPOINTS_PATH}/${id}`;
  const pinged = isSuccess && variables.path === `${path}/ping`;
  function write(rest: { path: string; method?: "POST" | "PUT"; body?: object }) {
    mutate({ ...rest, idempotencyKey: crypto.randomUUID() });
  }

  return (
    <>
      <span className="acts">
        {enabled && url !== null && (
          <button type="button" className="button" onClick={() => write({ path: `${path}/ping` })}>
            <Icon name={pinged ? "check" : "send"} />
            {pinged ? "Sent" : "Ping"}
            <span className="hidden-text"> to {name}</span>
          </button>
        )}
        <MenuTrigger>
          <Button className="button icon-only" aria-label={`More about ${name}`}>
            <Icon name="more" />
          </Button>
          <Popover className="menu" placement="bottom end">
            <Menu aria-label="What to do with it">
              <MenuItem onAction={() => choose("edit")}>Change it</MenuItem>
              <MenuItem onAction={() => choose("rotate")}>Make a new secret</MenuItem>
              {nextSecretActiveAt !== null && (
                <MenuItem onAction={() => write({ path: `${path}/activate-secret` })}>
                  End the old secret now
                </MenuItem>
              )}
              {enabled && (
                <MenuItem onAction={() => choose("count")}>Resend what it missed</MenuItem>
              )}
              <MenuItem
                onAction={() => write({ path, method: "PUT", body: { enabled: !enabled } })}
              >
                {enabled ? "Disable it" : "Enable it"}
              </MenuItem>
              {!isDefault && <MenuItem onAction={() => choose("delete")}>Delete it</MenuItem>}
            </Menu>
          </Popover>
        </MenuTrigger>
      </span>
      {error && <ErrorNote error={error} />}
    </>
  );
}

function Card({
  endpoint,
  health,
  choose,
}: {
  endpoint: WebhookEndpoint;
  health: WebhookEndpointHealth | undefined;
  choose: ((what: Choice) => void) | undefined;
}) {
  const { events, signatureScheme, isDefault, createdAt, nextSecretActiveAt, url } = endpoint;
  return (
    <li className="card end-card">
      <div className="head">
        <h2 className="url" title={url ?? undefined}>
          {nameEndpoint(endpoint)}
        </h2>
        <Status words={describeEndpoint(endpoint)} />
        {health && <SuccessRate health={health} />}
        <span className="end">
          {choose !== undefined && <Actions endpoint={endpoint} choose={choose} />}
        </span>
      </div>
      {health && url !== null && <Ticks health={health} />}
      <p className="small-13 quiet">
        {countEvents(endpoint)}, signed by {signatureScheme}, since {formatDate(createdAt)}
        {isDefault && ". The callback URL of the project"}
        {health && formatMedian(health)}
      </p>
      {nextSecretActiveAt !== null && (
        <p className="small-13 quiet">Two secrets sign until {formatWhen(nextSecretActiveAt)}.</p>
      )}
      {events.length > 0 && (
        <ul className="chips" aria-label="Events that it receives">
          {events.map((type) => (
            <li key={type} className="mono">
              {type}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Dialogs({
  open,
  setOpen,
}: {
  open: Open;
  setOpen: (change: (now: Open | undefined) => Open | undefined) => void;
}) {
  /** A dialog that led to the next one is closed already. */
  const close = () => setOpen((now) => (now?.what === open.what ? undefined : now));
  const showSecret = (secret: Secret) => setOpen(() => ({ what: "secret", secret }));
  switch (open.what) {
    case "add":
      return <AddDialog close={close} done={showSecret} />;
    case "edit":
      return <EditDialog endpoint={open.endpoint} close={close} done={showSecret} />;
    case "rotate":
      return <RotateDialog endpoint={open.endpoint} close={close} done={showSecret} />;
    case "delete":
      return <DeleteDialog endpoint={open.endpoint} close={close} />;
    case "secret":
      return <SecretDialog secret={open.secret} close={close} />;
    case "resend":
      return <ResendDialog endpoint={open.endpoint} missed={open.missed} close={close} />;
    case "count": {
      const { endpoint } = open;
      const done = (missed: Missed) => setOpen(() => ({ what: "resend", endpoint, missed }));
      return <CountDialog endpoint={endpoint} close={close} done={done} />;
    }
  }
}

function EndpointsPage() {
  const query = useEndpoints();
  const healths = useEndpointHealth();
  const canWrite = hasScope(useWorkspace(), "webhooks:write");
  const [open, setOpen] = useState<Open>();
  const add = canWrite && (
    <button type="button" className="button primary" onClick={() => setOpen({ what: "add" })}>
      Add endpoint
    </button>
  );
  return (
    <>
      <WebhookHead>{add}</WebhookHead>
      <Loaded query={query} what="webhook endpoints">
        {({ body: { data } }) =>
          data.length === 0 ? (
            <State icon="webhooks" title="No endpoint yet">
              An endpoint is an address of your shop that is told what happens.
            </State>
          ) : (
            <ul className="ends">
              {data.map((endpoint) => (
                <Card
                  key={endpoint.id}
                  endpoint={endpoint}
                  health={healths.get(endpoint.id)}
                  choose={canWrite ? (what) => setOpen({ what, endpoint }) : undefined}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open && <Dialogs open={open} setOpen={setOpen} />}
    </>
  );
}

export const Route = createLazyRoute("/webhooks/endpoints")({ component: EndpointsPage });
