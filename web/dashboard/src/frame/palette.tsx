// Search over all records, by the keyboard or from the top of the page.
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { formatAmount } from "../amounts.ts";
import { useApi } from "../api/queries.ts";
import type { SearchItem, SearchResult } from "../api/records.ts";
import { useWorkspace } from "../api/session.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { shortenId } from "../parts/id.tsx";
import { ErrorText } from "../parts/states.tsx";
import { GROUPS } from "./places.ts";
import { keepRecent, readRecent } from "./recent.ts";

const LENGTH_MIN = 2;
const PAUSE_MS = 150;
/** After an answer that says what could not be searched in time. */
const AGAIN_MS = 1_000;

/** The text once nothing more was typed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

const KINDS: Readonly<Record<SearchItem["kind"], { icon: IconName; name: string }>> = {
  payment: { icon: "payments", name: "Payment" },
  customer: { icon: "person", name: "Customer" },
  refund: { icon: "back", name: "Refund" },
  settlement: { icon: "send", name: "Settlement" },
  transfer: { icon: "arrived", name: "Transfer" },
  webhook_endpoint: { icon: "webhooks", name: "Webhook endpoint" },
  request: { icon: "requests", name: "Request" },
};

/** Where a person sees it; undefined where it has no page yet. */
function findPage({ kind, id, paymentId }: SearchItem) {
  if (kind === "customer") return { to: "/customers/$id", params: { id } } as const;
  if (kind === "refund") return { to: "/refunds/$id", params: { id } } as const;
  if (kind === "settlement") return { to: "/settlements/$id", params: { id } } as const;
  if (kind === "request") return { to: "/requests", search: { requestId: id } } as const;
  const payment = kind === "payment" ? id : paymentId;
  if (payment === null) return undefined;
  return { to: "/payments/$id", params: { id: payment } } as const;
}

function shortenAddress(text: string): string {
  return text.replace(/0x[0-9a-fA-F]{40}/, (address) => shortenId(address));
}

/** Amounts are written as on all pages. */
function formatTitle({ kind, title }: SearchItem): string {
  if (kind === "customer" || kind === "webhook_endpoint") return shortenAddress(title);
  if (kind === "request") return title;
  return title.replace(/^[\d.]+/, formatAmount);
}

function Found({ item, close }: { item: SearchItem; close: () => void }) {
  const workspace = useWorkspace();
  const page = findPage(item);
  if (page === undefined) return null;
  const { icon, name } = KINDS[item.kind];
  function choose() {
    keepRecent(workspace, item);
    close();
  }

  return (
    <li>
      <Link {...page} onClick={choose}>
        <Icon name={icon} />
        <span className="title">
          {name} <b>{formatTitle(item)}</b>
        </span>
        <span className="end">{shortenAddress(item.subtitle)}</span>
      </Link>
    </li>
  );
}

function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="group" aria-label={name}>
      <h3>{name}</h3>
      <ul>{children}</ul>
    </section>
  );
}

function Results({ text, close }: { text: string; close: () => void }) {
  const workspace = useWorkspace();
  const q = usePaused(text.trim());
  const isWanted = q.length >= LENGTH_MIN;
  const path = `/v1/search?${new URLSearchParams({ q })}`;
  const { data, error } = useApi<SearchResult>(path, {
    isWanted,
    keepsPrevious: true,
    refetchMs: (body) => body !== undefined && body.incomplete.length > 0 && AGAIN_MS,
  });
  const recent = readRecent(workspace);
  if (!isWanted) {
    if (recent.length === 0) return <Hint />;
    return (
      <Group name="Recent">
        {recent.map((item) => (
          <Found key={item.id} item={item} close={close} />
        ))}
      </Group>
    );
  }
  if (error) {
    return (
      <p className="hint" role="alert">
        <ErrorText error={error} />
      </p>
    );
  }
  if (data === undefined) return <p className="hint">Searching</p>;
  const { data: found, incomplete } = data.body;
  const known = new Set(recent.map(({ id }) => id));
  const shown = found
    .filter((item) => findPage(item) !== undefined)
    .sort((a, b) => Number(known.has(b.id)) - Number(known.has(a.id)));
  return (
    <>
      {shown.length > 0 && (
        <Group name="Found">
          {shown.map((item) => (
            <Found key={item.id} item={item} close={close} />
          ))}
        </Group>
      )}
      {shown.length === 0 && incomplete.length === 0 && (
        <p className="hint" role="status">
          Nothing fits “{q}”. Ids, hashes, addresses and orders are found in full, names by their
          beginning.
        </p>
      )}
      {incomplete.length > 0 && (
        <p className="hint" role="status">
          Still searching: {incomplete.map((kind) => KINDS[kind].name.toLowerCase()).join(", ")}.
        </p>
      )}
    </>
  );
}

function Hint() {
  return (
    <p className="hint">
      Paste an id, a transaction hash, an address or an order, or type the beginning of a name.
    </p>
  );
}

function Places({ text, close }: { text: string; close: () => void }) {
  const places = GROUPS.flatMap((group) => group.places).filter(({ name }) =>
    name.toLowerCase().includes(text.trim().toLowerCase()),
  );
  if (places.length === 0) return null;
  return (
    <Group name="Go to">
      {places.map(({ to, name, icon }) => (
        <li key={to}>
          <Link to={to} onClick={close}>
            <Icon name={icon} />
            <span className="title">{name}</span>
          </Link>
        </li>
      ))}
    </Group>
  );
}

/** The arrows go from the field to the links and between them; Enter in the field takes the first one. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isField = event.target instanceof HTMLInputElement;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("li a")];
  if (event.key === "Enter" && isField) links[0]?.click();
  if (step === undefined) return;
  event.preventDefault();
  const at = links.indexOf(document.activeElement as HTMLElement) + step;
  if (at >= 0) links[Math.min(at, links.length - 1)]?.focus();
  else event.currentTarget.querySelector("input")?.focus();
}

export function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  return (
    <ModalOverlay className="scrim high" isOpen isDismissable onOpenChange={close}>
      <Modal className="palette">
        <Dialog aria-label="Search">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the field and the links in it */}
          <div onKeyDown={moveFocus}>
            <label className="ask">
              <Icon name="search" />
              <input
                autoFocus
                type="search"
                aria-label="Search"
                placeholder="An id, hash, address, order or name"
                maxLength={128}
                autoComplete="off"
                spellCheck={false}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
              <span className="kbd" aria-hidden="true">
                Esc
              </span>
            </label>
            <Results text={text} close={close} />
            <Places text={text} close={close} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
