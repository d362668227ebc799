-- The version before does not name the project, so a trigger writes it until then.
alter table secrets add column project_id text;
alter table secrets add constraint secrets_project_known check (project_id is not null) not valid;

create function secrets_take_project() returns trigger language plpgsql as $$
begin
  select e.project_id into new.project_id from endpoints e where e.id = new.endpoint_id;
  return new;
end $$;
create trigger secrets_project before insert on secrets
  for each row when (new.project_id is null) execute function secrets_take_project();
