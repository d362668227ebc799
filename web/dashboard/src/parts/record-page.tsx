// What the pages of one record share.
import type { UseQueryResult } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatAmount } from "../amounts.ts";
import { type Answer, ApiError } from "../api/send.ts";
import type { StatusWords } from "../status-words.ts";
import { CopyAsCurl } from "./copy-as-curl.tsx";
import { CurrencySymbol } from "./currency-symbol.tsx";
import { Icon } from "./icon.tsx";
import { Id } from "./id.tsx";
import { Loaded, State } from "./states.tsx";
import { Status } from "./status.tsx";

export function RecordHead({
  list,
  name,
  noun,
  record: { id, amount, chainId, currency },
  words,
  path,
}: {
  list: NonNullable<LinkProps["to"]>;
  name: string;
  noun: string;
  record: { id: string; amount: string; chainId?: number; currency?: string };
  words: StatusWords;
  path: string;
}) {
  return (
    <>
      <title>{`${formatAmount(amount)} · ${noun}`}</title>
      <div className="crumbs">
        <Link to={list}>{name}</Link>
        <Icon name="next" isSmall />
        <Id text={id} label={`${noun.toLowerCase()} id`} isWhole />
      </div>
      <div className="pay-head">
        <h1 className="sum">
          {formatAmount(amount)}{" "}
          <span>{currency && <CurrencySymbol chainId={chainId} currency={currency} />}</span>
        </h1>
        <Status words={words} />
        <div className="end">
          <CopyAsCurl path={path} />
        </div>
      </div>
    </>
  );
}

/** One record by its id, or that there is none. */
export function OneRecord<Body>({
  query,
  noun,
  list,
  children,
}: {
  query: UseQueryResult<Answer<Body>, Error>;
  noun: string;
  list: NonNullable<LinkProps["to"]>;
  children: (body: Body) => ReactNode;
}) {
  const { error } = query;
  if (error instanceof ApiError && [400, 404].includes(error.status)) {
    return (
      <State
        icon="help"
        title={`No such ${noun} in this mode`}
        actions={
          <Link className="button" to={list}>
            To the {noun}s
          </Link>
        }
      >
        The id is of another project or of the other mode, or a part of it is missing.
      </State>
    );
  }
  return (
    <Loaded query={query} what={`the ${noun}`}>
      {({ body }) => children(body)}
    </Loaded>
  );
}
