-- held for the version before
-- It names a watch by the id of the payment alone.
alter table watches
  drop constraint watches_pkey,
  add constraint watches_pkey primary key using index watches_of_a_project;
