-- held for the version before
-- It names secrets by their endpoint alone.
drop trigger secrets_project on secrets;
drop function secrets_take_project();
alter table secrets
  drop constraint secrets_endpoint_id_fkey,
  drop constraint secrets_pkey,
  add constraint secrets_pkey primary key using index secrets_of_a_project;
alter table secrets drop constraint secrets_project_known;
