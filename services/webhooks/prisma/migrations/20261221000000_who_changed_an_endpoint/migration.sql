-- The key that asked for a change. A transaction that changes an endpoint names it in a setting of its own, so that the
-- triggers which write the history need not know it. Null where the service itself made the change.
create function changed_by() returns text language sql stable parallel safe as $$
  select nullif(current_setting('webhooks.changed_by', true), '')
$$;

-- Older rows have none.
alter table endpoint_changes add column changed_by text;
alter table endpoint_changes alter column changed_by set default changed_by();
