-- A signed transaction names the project of its intent; the version before does not, so a trigger writes it until then.
alter table signed_transactions add column project_id text, add column mode smallint;
alter table signed_transactions
  add constraint signed_transactions_tenant_known check (project_id is not null and mode is not null) not valid;

create function signed_transactions_take_tenant() returns trigger language plpgsql as $$
begin
  select i.project_id, i.mode into new.project_id, new.mode from intents i where i.subject_id = new.subject_id;
  return new;
end $$;
create trigger signed_transactions_tenant before insert on signed_transactions
  for each row when (new.project_id is null or new.mode is null) execute function signed_transactions_take_tenant();
