-- Whom a project trusts to say who its shoppers are. Every change counts up sso_version: sessions from before the
-- change name an older version and are dead.
alter table projects add column sso jsonb;
alter table projects add column sso_version integer not null default 0;
alter table projects add constraint projects_sso_complete
  check (sso is null or (sso ->> 'issuer' is not null and sso ->> 'audience' is not null));

-- Shoppers' sessions. A subject has five places, so a sixth session can only take the place of another one.
create table sessions (
  project_id     text not null,
  mode           text not null,
  subject        bytea not null,
  place          smallint not null,
  digest         bytea not null,
  wallet_address text,
  sso_version    integer not null,
  created_at     timestamptz(3) not null,
  expires_at     timestamptz(3) not null,

  constraint sessions_pkey primary key (project_id, mode, subject, place),
  constraint sessions_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint sessions_mode check (mode in ('live', 'test')),
  constraint sessions_subject_length check (octet_length(subject) = 32),
  constraint sessions_place check (place between 1 and 5),
  constraint sessions_digest_length check (octet_length(digest) = 32),
  constraint sessions_wallet_address check (wallet_address ~ '^0x[0-9a-f]{40}$'),
  constraint sessions_lifetime check (expires_at <= created_at + interval '1 hour')
);
create unique index sessions_digest_key on sessions (digest);
create index sessions_expires_at_idx on sessions (expires_at);

-- Tokens that were exchanged, kept while they would still be accepted: each works once.
create table sso_tokens (
  project_id text not null,
  digest     bytea not null,
  expires_at timestamptz(3) not null,

  constraint sso_tokens_pkey primary key (project_id, digest),
  constraint sso_tokens_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint sso_tokens_digest_length check (octet_length(digest) = 32)
);
create index sso_tokens_expires_at_idx on sso_tokens (expires_at);
