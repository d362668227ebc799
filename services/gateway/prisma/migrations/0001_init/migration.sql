-- A merchant. Every other record of the product refers to its project by id.
create table projects (
  id                       text not null,
  name                     text not null,
  -- Webhook addresses of live and of test mode.
  callback_url             text,
  test_callback_url        text,
  -- An empty list admits pages of every origin.
  allowed_origins          text[] not null default '{}',
  branding_config          jsonb,
  -- Lower case.
  payout_wallets           text[] not null default '{}',
  -- Recipients of payments whose request names none, and a change that waits: src/projects/default-wallets.ts.
  wallets                  jsonb,
  -- hold: a transfer that names no payment is never taken for one; null means match.
  unnamed_transfers        text,
  -- What says which wallets are screened; null for none.
  screening                jsonb,
  -- Whether transactions for wallets name their payment.
  reference                boolean not null default true,
  -- Whether payments get a deposit address each.
  deposit_addresses        boolean not null default false,
  -- Who is told of what waits for a person: a url or the e-mail address of a member each, with kinds.
  notices                  jsonb,
  payment_lifetime_minutes integer not null default 30,
  variant                  text,
  api_version              date not null,
  -- Guards every change of the row.
  version                  integer not null default 1,
  sso                      jsonb,
  -- Counts the changes of sso. A session of an older version is invalid.
  sso_version              integer not null default 0,
  created_at               timestamptz(3) not null default current_timestamp,
  updated_at               timestamptz(3) not null default current_timestamp,

  constraint projects_pkey primary key (id),
  constraint projects_name_length check (char_length(name) between 1 and 100),
  constraint projects_callback_url_length check (char_length(callback_url) <= 2048),
  constraint projects_test_callback_url_length check (char_length(test_callback_url) <= 2048),
  constraint projects_allowed_origins_count check (cardinality(allowed_origins) <= 50),
  constraint projects_payment_lifetime check (payment_lifetime_minutes between 5 and 1440),
  constraint projects_variant check (variant in ('primary', 'b')),
  constraint projects_sso_complete
    check (sso is null or (sso ->> 'issuer' is not null and sso ->> 'audience' is not null))
);

-- Stores a digest instead of the key; prefix and last characters let its owner recognise it.
create table api_keys (
  project_id     text not null,
  id             text not null,
  type           text not null,
  mode           text not null,
  -- {all} for a key without restrictions; an empty list would be a key that may do nothing.
  scopes         text[] not null,
  name           text,
  digest         bytea not null,
  -- The pepper version of the digest.
  pepper_version smallint not null,
  prefix         text not null,
  last4          text not null,
  -- The id of another key or of a member, or operator.
  created_by     text not null,
  created_at     timestamptz(3) not null default current_timestamp,
  last_used_at   timestamptz(3),
  expires_at     timestamptz(3),
  revoked_at     timestamptz(3),
  successor_id   text,
  -- Addresses and ranges that it may be used from; an empty list is everywhere.
  allowed_addresses text[] not null default '{}',

  constraint api_keys_pkey primary key (project_id, id),
  constraint api_keys_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint api_keys_type check (type in ('secret', 'publishable')),
  constraint api_keys_mode check (mode in ('live', 'test')),
  constraint api_keys_digest_length check (octet_length(digest) = 32),
  constraint api_keys_pepper_version check (pepper_version >= 1),
  -- A publishable key can do nothing worth restricting.
  constraint api_keys_scopes_secret_only check (type = 'secret' or scopes = '{all}'),
  constraint api_keys_scopes_present check (cardinality(scopes) > 0),
  constraint api_keys_scopes_all_alone check (scopes = '{all}' or not scopes @> '{all}'),
  -- Shoppers use publishable keys from everywhere.
  constraint api_keys_addresses_secret_only
    check (cardinality(allowed_addresses) <= 50 and (type = 'secret' or allowed_addresses = '{}')),
  constraint api_keys_successor_expires check (successor_id is null or expires_at is not null)
);
-- A request presents its key without a project, so the digest is unique by itself.
create unique index api_keys_digest_key on api_keys (digest);
create index api_keys_project_id_created_at_id_idx on api_keys (project_id, created_at desc, id desc);

-- Customer sessions. The check on slot limits a subject to five sessions at a time.
create table sessions (
  project_id     text not null,
  mode           text not null,
  -- HMAC-SHA256 of issuer and subject under the pepper.
  subject        bytea not null,
  slot           smallint not null,
  digest         bytea not null,
  wallet_address text,
  sso_version    integer not null,
  created_at     timestamptz(3) not null,
  expires_at     timestamptz(3) not null,

  constraint sessions_pkey primary key (project_id, mode, subject, slot),
  constraint sessions_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint sessions_mode check (mode in ('live', 'test')),
  constraint sessions_subject_length check (octet_length(subject) = 32),
  constraint sessions_slot check (slot between 1 and 5),
  constraint sessions_digest_length check (octet_length(digest) = 32),
  constraint sessions_wallet_address check (wallet_address ~ '^0x[0-9a-f]{40}$'),
  constraint sessions_lifetime check (expires_at <= created_at + interval '1 hour')
);
create unique index sessions_digest_key on sessions (digest);
create index sessions_expires_at_idx on sessions (expires_at);

-- Exchanged issuer tokens, kept until they expire: each can be exchanged once.
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

-- People who use the dashboard. Their e-mail is lower case.
create table members (
  id          text not null,
  email       text not null,
  name        text not null,
  created_at  timestamptz(3) not null,
  disabled_at timestamptz(3),

  constraint members_pkey primary key (id),
  constraint members_email_lower check (email = lower(email) and char_length(email) between 3 and 254),
  constraint members_name_length check (char_length(name) between 1 and 100)
);
create unique index members_email_key on members (email);

-- What a member may do in a project: a role for each mode, or none.
create table memberships (
  project_id text not null,
  member_id  text not null,
  live_role  text,
  test_role  text,
  -- What the member may refund a day although the role may not: src/keys/caller.ts.
  refund_limits jsonb not null default '[]',
  -- The id of another member, or operator.
  invited_by text not null,
  created_at timestamptz(3) not null,

  constraint memberships_pkey primary key (project_id, member_id),
  constraint memberships_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint memberships_member_id_fkey foreign key (member_id) references members (id)
    on delete cascade on update no action
);
create index memberships_member_id_idx on memberships (member_id);

-- Filters of the dashboard's lists under a name: a member's own, or shared with the project.
create table saved_views (
  project_id text not null,
  member_id  text not null,
  name       text not null,
  -- Path and query of a page of the dashboard.
  address    text not null,
  is_shared  boolean not null,

  constraint saved_views_pkey primary key (project_id, member_id, name),
  constraint saved_views_project_id_member_id_fkey foreign key (project_id, member_id)
    references memberships (project_id, member_id) on delete cascade on update no action,
  constraint saved_views_name_length check (char_length(name) between 1 and 80),
  constraint saved_views_address_form check (address ~ '^/[a-z]' and char_length(address) <= 2000)
);

-- Roles that a project made itself; the others are in the code.
create table roles (
  project_id text not null,
  name       text not null,
  scopes     text[] not null,
  updated_at timestamptz(3) not null,

  constraint roles_pkey primary key (project_id, name),
  constraint roles_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint roles_name_length check (char_length(name) between 1 and 40)
);

-- Invitations to a project, until they are accepted. A digest under the pepper is stored instead of the link.
create table invitations (
  project_id text not null,
  -- Of the member that a new person becomes.
  id         text not null,
  email      text not null,
  live_role  text,
  test_role  text,
  -- What the member may refund a day although the role may not: src/keys/caller.ts.
  refund_limits jsonb not null default '[]',
  digest     bytea not null,
  -- The id of a member or of a key.
  invited_by text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- When the mail server took the link.
  mailed_at  timestamptz(3),

  constraint invitations_pkey primary key (project_id, id),
  constraint invitations_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint invitations_email_lower check (email = lower(email) and char_length(email) between 3 and 254),
  constraint invitations_digest_length check (octet_length(digest) = 32)
);
create unique index invitations_project_id_email_key on invitations (project_id, email);
create unique index invitations_digest_key on invitations (digest);
create index invitations_expires_at_idx on invitations (expires_at);

-- Links that sign a member in, once. A digest under the pepper is stored instead of the link.
create table one_time_links (
  digest     bytea not null,
  member_id  text not null,
  -- The id of another member, or operator.
  made_by    text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3),

  constraint one_time_links_pkey primary key (digest),
  constraint one_time_links_member_id_fkey foreign key (member_id) references members (id)
    on delete cascade on update no action,
  constraint one_time_links_digest_length check (octet_length(digest) = 32),
  constraint one_time_links_lifetime check (expires_at <= created_at + interval '3 days')
);
create index one_time_links_expires_at_idx on one_time_links (expires_at);

-- Sign-ins of members. A digest under the pepper is stored instead of the cookie's token.
create table member_sessions (
  digest       bytea not null,
  member_id    text not null,
  -- How the member signed in: link, passkey or recovery code.
  method       text not null,
  created_at   timestamptz(3) not null,
  seen_at      timestamptz(3) not null,
  -- When the member last proved by a passkey to be there.
  confirmed_at timestamptz(3),
  ended_at     timestamptz(3),
  -- The browser, as it names itself.
  agent        text,

  constraint member_sessions_pkey primary key (digest),
  constraint member_sessions_member_id_fkey foreign key (member_id) references members (id)
    on delete cascade on update no action,
  constraint member_sessions_digest_length check (octet_length(digest) = 32),
  constraint member_sessions_method check (method in ('link', 'passkey', 'recovery', 'oidc')),
  constraint member_sessions_agent_length check (char_length(agent) between 1 and 200)
);
create index member_sessions_created_at_idx on member_sessions (created_at);
create index member_sessions_member_id_idx on member_sessions (member_id);

-- Codes by which a member who has lost every passkey comes to add one. A digest under the pepper is stored instead.
create table recovery_codes (
  digest     bytea not null,
  member_id  text not null,
  created_at timestamptz(3) not null,
  used_at    timestamptz(3),

  constraint recovery_codes_pkey primary key (digest),
  constraint recovery_codes_member_id_fkey foreign key (member_id) references members (id)
    on delete cascade on update no action,
  constraint recovery_codes_digest_length check (octet_length(digest) = 32)
);
create index recovery_codes_member_id_idx on recovery_codes (member_id);

-- Public keys by which members sign in, each made by a device or a password manager.
create table passkeys (
  credential_id bytea not null,
  member_id     text not null,
  -- COSE.
  public_key    bytea not null,
  -- The number of uses as the device counts them; 0 for devices that do not count.
  counter       bigint not null,
  -- How browsers reach the device.
  transports    text[] not null,
  name          text not null,
  -- Whether the passkey is on more than one device.
  backed_up     boolean not null,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3),

  constraint passkeys_pkey primary key (credential_id),
  constraint passkeys_member_id_fkey foreign key (member_id) references members (id)
    on delete cascade on update no action,
  constraint passkeys_credential_id_length check (octet_length(credential_id) between 1 and 1023),
  constraint passkeys_public_key_length check (octet_length(public_key) between 1 and 4096),
  constraint passkeys_counter check (counter between 0 and 4294967295),
  constraint passkeys_name_length check (char_length(name) between 1 and 100)
);
create index passkeys_member_id_idx on passkeys (member_id);

-- Challenges that were answered; each can be answered once.
create table used_challenges (
  -- The challenge itself.
  digest     bytea not null,
  -- From then on an answer is refused for its age.
  expires_at timestamptz(3) not null,

  constraint used_challenges_pkey primary key (digest),
  constraint used_challenges_digest_length check (octet_length(digest) = 32)
);
create index used_challenges_expires_at_idx on used_challenges (expires_at);

-- Copies of the projects' logos, so that a customer's browser calls no third party.
create table logos (
  project_id text not null,
  source_url text not null,
  digest     bytea not null,
  type       text not null,
  content    bytea not null,

  constraint logos_pkey primary key (project_id),
  constraint logos_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint logos_type_known check (type in ('image/png', 'image/jpeg', 'image/webp')),
  constraint logos_content_bounded check (octet_length(content) between 1 and 102400)
);
create index logos_digest_idx on logos (digest);

-- Tables whose rows leave by time, see libs/database/src/partitions/partitions.ts.
create table time_partitions (
  table_name text not null,
  -- How long one partition is.
  span_hours integer not null,
  -- Partitions that exist before their time.
  ahead      integer not null,
  -- Partitions that are kept after their time.
  kept       integer not null,
  -- The newest ones with rows, which are kept however old they are.
  used_kept  integer not null default 0,
  -- Storage parameters of a partition, e.g. fillfactor = 70.
  options    text not null default '',

  constraint time_partitions_pkey primary key (table_name),
  constraint time_partitions_span_even check (span_hours in (1, 2, 3, 4, 6, 8, 12, 24, 168)),
  constraint time_partitions_bounded check (ahead between 1 and 100 and kept between 1 and 1000 and used_kept >= 0)
);

-- Idempotency keys of a day (customers, gateway, payments, refunds). Each creation looks for its key in three live
-- partitions of twelve hours; shorter ones would mean more lookups.
create table idempotency_keys (
  scope       text not null,
  key         text not null,
  fingerprint bytea not null,
  response    bytea not null,
  created_at  timestamptz(3) not null default current_timestamp,
  -- Constant inside a partition, so that the primary key refuses a second row of a key there.
  period      timestamptz(0) not null
    default date_bin('12 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint idempotency_keys_pkey primary key (scope, key, period)
) partition by range (period);
insert into time_partitions (table_name, span_hours, ahead, kept) values ('idempotency_keys', 12, 4, 2);

-- Who did what, for 400 days.
create table audit_entries (
  project_id  text not null,
  id          text not null,
  -- live or test.
  mode        text not null,
  -- The id of a key or of a member, or operator.
  actor       text not null,
  -- The operation, e.g. settlements.approve.
  action      text not null,
  -- The id of what it was done to; null until that is known.
  target_id   text,
  -- By field: before and after, or neither.
  changes     jsonb not null,
  request_id  text not null,
  -- Of the client.
  address     text,
  -- How the request ended; null before that, and after a crash.
  status_code smallint,
  error_code  text,
  created_at  timestamptz(3) not null,
  -- Constant inside a partition.
  week        timestamptz(0) not null
    default date_bin('168 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint audit_entries_pkey primary key (project_id, id, week),
  constraint audit_entries_mode check (mode in ('live', 'test')),
  constraint audit_entries_error_ended check (error_code is null or status_code is not null)
) partition by range (week);
create index audit_entries_project_id_mode_created_at_id_idx
  on audit_entries (project_id, mode, created_at desc, id desc);
create index audit_entries_project_id_mode_actor_created_at_id_idx
  on audit_entries (project_id, mode, actor, created_at desc, id desc);
create index audit_entries_project_id_mode_target_id_created_at_id_idx
  on audit_entries (project_id, mode, target_id, created_at desc, id desc);
insert into time_partitions (table_name, span_hours, ahead, kept) values ('audit_entries', 168, 2, 58);

-- Writes of projects and their requests that failed, for seven days.
create table request_logs (
  project_id  text not null,
  id          text not null,
  -- live or test.
  mode        text not null,
  -- The id of a key or of a member; null for a client secret without a key.
  actor       text,
  method      text not null,
  -- With parameters as {name}.
  route       text not null,
  -- With the ids of the request.
  path        text not null,
  status_code smallint not null,
  error_code  text,
  duration_ms integer not null,
  request_id  text not null,
  -- When the request came.
  created_at  timestamptz(3) not null,
  -- Constant inside a partition.
  day         timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint request_logs_pkey primary key (project_id, id, day),
  constraint request_logs_mode check (mode in ('live', 'test'))
) partition by range (day);
create index request_logs_project_id_mode_created_at_id_idx
  on request_logs (project_id, mode, created_at desc, id desc);
create index request_logs_failed_idx on request_logs (project_id, mode, created_at desc, id desc)
  where status_code >= 400;
create index request_logs_project_id_mode_request_id_idx on request_logs (project_id, mode, request_id);
insert into time_partitions (table_name, span_hours, ahead, kept) values ('request_logs', 24, 2, 7);

-- Accounts at identity providers by which members sign in.
create table identities (
  issuer     text not null,
  -- Of the account, as the provider names it.
  subject    text not null,
  member_id  text not null,
  created_at timestamptz(3) not null,

  constraint identities_pkey primary key (issuer, subject),
  constraint identities_member_id_fkey foreign key (member_id) references members (id) on delete cascade
);
create unique index identities_member_id_issuer_key on identities (member_id, issuer);

-- What people have noted about things that wait for a person.
create table need_states (
  project_id text not null,
  -- live or test.
  mode       text not null,
  -- The id of the thing.
  need_id    text not null,
  -- Why it waits. A state counts only for this.
  kind       text not null,
  -- The id of a member or of a key.
  taken_by   text,
  note       text,
  done_at    timestamptz(3),
  changed_at timestamptz(3) not null,

  constraint need_states_pkey primary key (project_id, mode, need_id),
  constraint need_states_mode check (mode in ('live', 'test')),
  constraint need_states_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
);
create index need_states_changed_at_idx on need_states (changed_at);

-- When each target of a project's notices is told next: a url, or the e-mail address of a member.
create table notice_turns (
  project_id text not null,
  target     text not null,
  due_at     timestamptz(3) not null,

  constraint notice_turns_pkey primary key (project_id, target),
  constraint notice_turns_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action
);
create index notice_turns_due_at_idx on notice_turns (due_at);

-- Needs that a target was told of, so that it is told once.
create table told_needs (
  project_id text not null,
  target     text not null,
  -- live or test.
  mode       text not null,
  need_id    text not null,
  -- Why it waits.
  subject    text not null,
  told_at    timestamptz(3) not null,

  constraint told_needs_pkey primary key (project_id, target, mode, need_id, subject),
  constraint told_needs_project_id_target_fkey foreign key (project_id, target)
    references notice_turns (project_id, target) on delete cascade on update no action,
  constraint told_needs_mode check (mode in ('live', 'test'))
);
create index told_needs_told_at_idx on told_needs (told_at);

-- Mails that wait for the mail server. None has a link that opens something.
create table mails (
  id         bigserial not null,
  recipient  text not null,
  subject    text not null,
  body       text not null,
  created_at timestamptz(3) not null,
  -- When it is sent next; later while a process sends it.
  due_at     timestamptz(3) not null,

  constraint mails_pkey primary key (id)
);
create index mails_due_at_idx on mails (due_at);
create index mails_created_at_idx on mails (created_at);

-- The keys that no row has. A volatile function reads with a snapshot of its own: a caller that holds the lock of a key
-- sees what the previous owner of the lock committed. The limit makes the planner use the index for each key.
create function unused_keys(scopes text[], keys text[])
returns table (scope text, key text) language plpgsql volatile strict rows 64 as $$
#variable_conflict use_column
begin
  return query
    select distinct requested.scope, requested.key from unnest(scopes, keys) as requested (scope, key)
    left join lateral (
      select true as stored from idempotency_keys stored
      where stored.scope = requested.scope and stored.key = requested.key and stored.period <= current_timestamp
      limit 1
    ) earlier on true
    where earlier.stored is null;
end
$$;

-- Events waiting for the bus.
create table outbox (
  id         bigserial not null,
  event_id   text not null,
  type       text not null,
  topic      text not null,
  key        text not null,
  request_id text not null,
  payload    bytea not null,
  created_at timestamptz(3) not null default current_timestamp,

  constraint outbox_pkey primary key (id)
);

-- Events that could not be handled; an operator decides about them.
create table dead_letters (
  id         bigserial not null,
  consumer   text not null,
  topic      text not null,
  event_id   text,
  payload    bytea not null,
  error      text not null,
  created_at timestamptz(3) not null default current_timestamp,
  -- When an operator requested the replay.
  replay_at  timestamptz(3),

  constraint dead_letters_pkey primary key (id)
);
