-- Why an endpoint is disabled, where its merchant has not disabled it: failing.
alter table endpoints add column disabled_reason text;
alter table endpoints add constraint endpoints_disabled_reason_known
  check (disabled_reason is null or (disabled_reason = 'failing' and not enabled)) not valid;
-- From when on its failures count: since it was made, enabled or given another address.
alter table endpoints add column judged_from timestamptz(3) not null default current_timestamp;

-- What happened to endpoints and their secrets, written by the statement that changes them, whichever it is. Of a deleted
-- endpoint the history stays.
create table endpoint_changes (
  id          bigserial not null,
  endpoint_id text not null,
  project_id  text not null,
  mode        smallint not null,
  change      text not null,
  -- Of the endpoint after the change.
  url         text,
  happened_at timestamptz(3) not null default current_timestamp,

  constraint endpoint_changes_pkey primary key (id),
  constraint endpoint_changes_change_known check (change in ('created', 'url_changed', 'settings_changed', 'enabled',
    'disabled', 'disabled_failing', 'secret_added', 'secret_activated', 'deleted'))
);
create index endpoint_changes_endpoint_id_id_idx on endpoint_changes (endpoint_id, id);

-- Before the row is written, so that the version before, which knows neither column, does what they ask for.
create function endpoints_judge() returns trigger language plpgsql as $$
begin
  if new.enabled then
    new.disabled_reason := null;
  end if;
  if (new.enabled and not old.enabled) or new.url is distinct from old.url then
    new.judged_from := current_timestamp;
  end if;
  return new;
end $$;
create trigger endpoints_judge before update on endpoints for each row execute function endpoints_judge();

create function endpoints_keep_changes() returns trigger language plpgsql as $$
declare
  changes text[] := '{}';
begin
  if tg_op = 'INSERT' then
    changes := array['created'];
  elsif tg_op = 'DELETE' then
    insert into endpoint_changes (endpoint_id, project_id, mode, change, url)
      values (old.id, old.project_id, old.mode, 'deleted', old.url);
    return null;
  else
    if new.url is distinct from old.url then
      changes := changes || 'url_changed'::text;
    end if;
    if (new.events, new.scheme, new.concurrency_max) is distinct from (old.events, old.scheme, old.concurrency_max) then
      changes := changes || 'settings_changed'::text;
    end if;
    if new.enabled and not old.enabled then
      changes := changes || 'enabled'::text;
    elsif old.enabled and not new.enabled then
      changes := changes || case when new.disabled_reason = 'failing' then 'disabled_failing' else 'disabled' end::text;
    end if;
  end if;
  insert into endpoint_changes (endpoint_id, project_id, mode, change, url)
    select new.id, new.project_id, new.mode, change, new.url from unnest(changes) as change;
  return null;
end $$;
create trigger endpoints_keep_changes after insert or update or delete on endpoints
  for each row execute function endpoints_keep_changes();

create function secrets_keep_changes() returns trigger language plpgsql as $$
begin
  if (tg_op = 'INSERT' and new.seq > 1) or (tg_op = 'UPDATE' and new.active_at <> old.active_at) then
    insert into endpoint_changes (endpoint_id, project_id, mode, change, url)
      select id, project_id, mode, case tg_op when 'INSERT' then 'secret_added' else 'secret_activated' end, url
      from endpoints where id = new.endpoint_id;
  end if;
  return null;
end $$;
create trigger secrets_keep_changes after insert or update on secrets
  for each row execute function secrets_keep_changes();
