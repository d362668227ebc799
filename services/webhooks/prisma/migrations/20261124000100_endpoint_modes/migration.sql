-- An endpoint hears of one mode. Those that are there already were made for live events.
alter table endpoints add column mode smallint not null default 1;
alter table endpoints add constraint endpoints_mode_known check (mode in (1, 2));
-- The default endpoint of test mode has a name of its own: the version before this one looks for the live endpoint by
-- project and name alone.
alter table endpoints add constraint endpoints_name_of_mode
  check (name is null or (name, mode) in (('default', 1), ('default-test', 2)));
