// Migrations run beside pods of the previous release, on tables of any size. A statement that locks a table for as long
// as its size takes stops all writes to it. So tables of earlier migrations get indexes concurrently, constraints in
// two steps, and new contents in batches: a block that commits after each of them.
import { lineAt, type Place, type Rule, type SourceFile } from "./rule.ts";

/** The first migration finds no tables. */
const MIGRATION =
  /^(?:libs|services)\/[^/]+\/prisma\/migrations\/(?!0001)\d{4}_[^/]+\/migration\.sql$/;

interface Statement {
  text: string;
  /** Where in the file. */
  index: number;
}

/** A breach where the pattern matches and its first group is a table of an earlier migration, or there is no group. */
const LOCKING: readonly RegExp[] = [
  /^create (?:unique )?index (?!concurrently)(?:if not exists )?(?:[\w".]+ )?on (?:only )?([\w".]+)/,
  /^lock (?:table )?(?:only )?([\w".]+)/,
  /^truncate (?:table )?(?:only )?([\w".]+)/,
  /^(?:cluster|vacuum full)\b/,
  /^reindex (?!.*\bconcurrently\b)/,
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\balter (?:column )?\S+ (?:set data )?type\b/,
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\balter (?:column )?\S+ set not null\b/,
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\bset (?:logged|unlogged|tablespace|access method)\b/,
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\badd (?:constraint \S+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)/,
  // With the column it is checked at once, by a read of the whole table.
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\badd (?!constraint |check |foreign key |unique |primary key |exclude )(?:\([^)]*\)|[^,(])*\b(?:check ?\(|references |unique\b|primary key\b)/,
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\badd (?:constraint \S+ )?(?:unique|primary key|exclude)\b(?!.*\busing index\b)/,
  /^alter table (?:if exists )?(?:only )?([\w".]+) .*\badd (?:column )?(?:if not exists )?\S+ .*\b(?:default (?:gen_random_uuid|random|clock_timestamp|nextval)\(|generated always as (?!identity)|(?:big|small)?serial\b)/,
  /^update (?:only )?([\w".]+)/,
  /^delete from (?:only )?([\w".]+)/,
  /^insert into .*\bselect\b.*\bfrom (?!unnest|generate_series|\()([\w".]+)/,
];

const CHANGES_ROWS = /\b(?:update|delete from|insert into)\b/;

export const MIGRATION_RULE: Rule = {
  name: "a migration leaves writes to existing tables alone",
  find: (tree) => tree.filter(({ path }) => MIGRATION.test(path)).flatMap(findBreaches),
  bad: [
    onExisting("create index orders_time on orders (created_at);"),
    onExisting("create unique index on only orders (id)"),
    onExisting("lock table orders in share mode;"),
    onExisting("-- Empty it.\ntruncate orders;"),
    onExisting("alter table orders alter column amount type numeric(78, 0);"),
    onExisting("alter table orders alter amount set not null;"),
    onExisting("alter table orders add constraint positive check (amount > 0);"),
    onExisting("alter table orders add constraint orders_key unique (id);"),
    onExisting("alter table orders add column rate numeric(9, 2) check (rate > 0);"),
    onExisting(
      "alter table orders add note text, add column buyer text references buyers (id), add kind text;",
    ),
    onExisting("alter table orders add column nonce uuid default gen_random_uuid();"),
    onExisting("update orders set note = '' where note is null;"),
    onExisting("delete from orders where false;"),
    onExisting("create table copies (id text);\ninsert into copies select id from orders;"),
    onExisting("do $$ begin update orders set note = ''; end $$;"),
    onExisting("vacuum full orders;"),
    onExisting("select 1;\n-- next part\ntruncate orders;"),
  ],
  good: [
    onExisting("create index concurrently orders_time on orders (created_at);"),
    onExisting(
      "create table orders (id text);\ncreate index on orders (id);\nupdate orders set id = '';",
    ),
    onExisting("alter table orders add column note text;"),
    onExisting("alter table orders add constraint positive check (amount > 0) not valid;"),
    onExisting("alter table orders add constraint orders_key unique using index orders_id;"),
    onExisting(
      "alter table orders add column rate numeric(9, 2) not null default 1, add constraint rates check (rate > 0) not valid;",
    ),
    onExisting("-- create index orders_time on orders (created_at);"),
    onExisting(
      "create function f() returns void language sql as $$ update orders set note = '' $$;",
    ),
    onExisting("do $$ begin loop update orders set note = ''; commit; exit; end loop; end $$;"),
    onExisting("insert into settings (name) values ('lock table orders');"),
    { "services/shop/prisma/migrations/0001_init/migration.sql": "lock table orders;" },
  ],
};

function onExisting(text: string) {
  return { "services/shop/prisma/migrations/0002_next/migration.sql": text };
}

function findBreaches({ path, text }: SourceFile): Place[] {
  const statements = splitStatements(text);
  const own = new Set(statements.flatMap(({ text: one }) => createdBy(one)));
  return statements.flatMap(({ text: one, index }) =>
    stopsWrites(one, own) ? [{ path, line: lineAt(text, index) }] : [],
  );
}

function createdBy(statement: string): string[] {
  const name = /^create (?:unlogged )?table (?:if not exists )?([\w".]+)/.exec(statement)?.[1];
  return name === undefined ? [] : [name];
}

function stopsWrites(statement: string, own: ReadonlySet<string>): boolean {
  if (statement.startsWith("do ")) {
    return CHANGES_ROWS.test(statement) && !/\bcommit\b/.test(statement);
  }
  // The body of a function runs later.
  if (/^create (?:or replace )?(?:function|procedure|view|trigger|rule)\b/.test(statement))
    return false;
  return LOCKING.some((pattern) => {
    const found = pattern.exec(statement);
    return found !== null && !(found[1] !== undefined && own.has(found[1]));
  });
}

/**
 * Each statement in lower case on one line, without comments and texts; a body in dollars stays part of its statement.
 */
function splitStatements(text: string): Statement[] {
  const quiet = text
    .toLowerCase()
    .replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, blank)
    .replaceAll(/'(?:[^']|'')*'/g, blank);
  const statements: Statement[] = [];
  let start = 0;
  let tag: string | undefined;
  for (const { 0: mark, index } of quiet.matchAll(/\$\w*\$|;|$(?![\s\S])/g)) {
    if (mark.startsWith("$")) tag = tag === undefined ? mark : tag === mark ? undefined : tag;
    else if (tag === undefined) {
      const raw = quiet.slice(start, index);
      const lead = raw.length - raw.trimStart().length;
      const one = raw.trim().replaceAll(/\s+/g, " ");
      if (one !== "") statements.push({ text: one, index: start + lead });
      start = index + 1;
    }
  }
  return statements;
}

/** As long as before, so that places stay. */
function blank(found: string): string {
  return found.replaceAll(/[^\n]/g, " ");
}
