import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { useChains } from "../../api/queries.ts";
import { Icon } from "../../parts/icon.tsx";
import { formatDate } from "../../times.ts";
import { describeStatuses, type FilterName, type Filters, STATUSES } from "./filters.ts";

type Change = Partial<Record<FilterName, string | undefined>>;

/** A changed filter begins at the newest row. */
export function useChangeFilters() {
  const navigate = useNavigate({ from: "/payments" });
  return (change: Change) =>
    navigate({ search: (before) => ({ ...before, ...change, after: undefined }) });
}

function Chip({
  label,
  value,
  clear,
  children,
}: {
  label: string;
  value: string | undefined;
  clear: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="chip">
      {value !== undefined && (
        <button
          type="button"
          className="filter clear"
          aria-label={`Clear ${label}`}
          onClick={clear}
        >
          <Icon name="cross" isSmall />
        </button>
      )}
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button className={value === undefined ? "filter" : "filter set"}>
          {value === undefined ? (
            <>
              <Icon name="plus" isSmall />
              {label}
            </>
          ) : (
            <>
              {label}: <b>{value}</b>
            </>
          )}
        </Button>
        <Popover className="menu filter-box" placement="bottom start">
          <Dialog aria-label={`Filter by ${label}`}>{children(() => setOpen(false))}</Dialog>
        </Popover>
      </DialogTrigger>
    </span>
  );
}

function FilterForm({
  apply,
  close,
  children,
}: {
  apply: (form: FormData) => void;
  close: () => void;
  children: ReactNode;
}) {
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        apply(new FormData(event.currentTarget));
        close();
      }}
    >
      {children}
      <button type="submit" className="button primary">
        Apply
      </button>
    </form>
  );
}

function readText(form: FormData, name: string): string | undefined {
  const text = String(form.get(name) ?? "").trim();
  return text === "" ? undefined : text;
}

const TEXTS = [
  { name: "orderId", label: "Order", hint: "As your shop sent it" },
  { name: "txHash", label: "Transaction hash", hint: "0x and 64 digits" },
  { name: "customerId", label: "Customer", hint: "Id that begins with cust_" },
] as const;

function StatusChip({ filters }: { filters: Filters }) {
  const change = useChangeFilters();
  const { status } = filters;
  const chosen = status?.split(",") ?? [];
  return (
    <Chip
      label="Status"
      value={status && describeStatuses(status)}
      clear={() => void change({ status: undefined })}
    >
      {(close) => (
        <FilterForm
          close={close}
          apply={(form) => void change({ status: form.getAll("status").join(",") || undefined })}
        >
          <fieldset>
            <legend>Status</legend>
            {STATUSES.map(([value, word]) => (
              <label key={value} className="choice">
                <input
                  type="checkbox"
                  name="status"
                  value={value}
                  defaultChecked={chosen.includes(value)}
                />
                {word}
              </label>
            ))}
          </fieldset>
        </FilterForm>
      )}
    </Chip>
  );
}

function ChainChip({ filters: { chainId } }: { filters: Filters }) {
  const change = useChangeFilters();
  const chains = useChains();
  const name = chains.find((chain) => String(chain.chainId) === chainId)?.name;
  return (
    <Chip
      label="Network"
      value={chainId && (name ?? chainId)}
      clear={() => void change({ chainId: undefined })}
    >
      {(close) => (
        <FilterForm
          close={close}
          apply={(form) => void change({ chainId: readText(form, "chainId") })}
        >
          <fieldset>
            <legend>Network</legend>
            {chains.map((chain) => (
              <label key={chain.chainId} className="choice">
                <input
                  type="radio"
                  name="chainId"
                  value={chain.chainId}
                  defaultChecked={String(chain.chainId) === chainId}
                />
                {chain.name}
              </label>
            ))}
          </fieldset>
        </FilterForm>
      )}
    </Chip>
  );
}

/** Midnight in the member's zone, `days` after the day of a date field. */
function toTime(day: string | undefined, days: number): string | undefined {
  if (day === undefined) return undefined;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days).toISOString();
}

function toDay(at: string | undefined, days: number): string | undefined {
  if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  const date = new Date(at);
  date.setDate(date.getDate() + days);
  const month = String(date.getMonth() + 1).padStart(2, "0");
  return `${date.getFullYear()}-${month}-${String(date.getDate()).padStart(2, "0")}`;
}

function describePeriod({ createdFrom, createdTo }: Filters): string | undefined {
  const from = toDay(createdFrom, 0);
  const to = toDay(createdTo, -1);
  if (from === undefined) return to && `until ${formatDate(to)}`;
  if (to === undefined) return `since ${formatDate(from)}`;
  return from === to ? formatDate(from) : `${formatDate(from)} to ${formatDate(to)}`;
}

function PeriodChip({ filters }: { filters: Filters }) {
  const change = useChangeFilters();
  return (
    <Chip
      label="Created"
      value={describePeriod(filters)}
      clear={() => void change({ createdFrom: undefined, createdTo: undefined })}
    >
      {(close) => (
        <FilterForm
          close={close}
          apply={(form) =>
            void change({
              createdFrom: toTime(readText(form, "from"), 0),
              createdTo: toTime(readText(form, "to"), 1),
            })
          }
        >
          <label>
            From
            <input
              className="field"
              type="date"
              name="from"
              defaultValue={toDay(filters.createdFrom, 0)}
            />
          </label>
          <label>
            To, this day included
            <input
              className="field"
              type="date"
              name="to"
              defaultValue={toDay(filters.createdTo, -1)}
            />
          </label>
        </FilterForm>
      )}
    </Chip>
  );
}

export function FilterBar({ filters, children }: { filters: Filters; children: ReactNode }) {
  const change = useChangeFilters();
  return (
    <div className="filters">
      <PeriodChip filters={filters} />
      <StatusChip filters={filters} />
      <ChainChip filters={filters} />
      {TEXTS.map(({ name, label, hint }) => (
        <Chip
          key={name}
          label={label}
          value={filters[name]}
          clear={() => void change({ [name]: undefined })}
        >
          {(close) => (
            <FilterForm
              close={close}
              apply={(form) => void change({ [name]: readText(form, name) })}
            >
              <label>
                {label}
                <input className="field" name={name} defaultValue={filters[name]} />
                <span className="tip">{hint}</span>
              </label>
            </FilterForm>
          )}
        </Chip>
      ))}
      <span className="end">{children}</span>
    </div>
  );
}
