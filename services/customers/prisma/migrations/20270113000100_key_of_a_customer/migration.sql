alter table customers
  drop constraint customers_pkey,
  add constraint customers_pkey primary key using index customers_of_a_project;
