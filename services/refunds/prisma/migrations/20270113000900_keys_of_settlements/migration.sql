alter table settlement_destinations
  drop constraint settlement_destinations_pkey,
  add constraint settlement_destinations_pkey primary key using index settlement_destinations_of_a_project;

alter table settlements
  drop constraint settlements_pkey,
  add constraint settlements_pkey primary key using index settlements_of_a_project;
