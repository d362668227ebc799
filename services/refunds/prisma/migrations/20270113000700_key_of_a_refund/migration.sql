alter table refunds
  drop constraint refunds_payment_id_fkey,
  drop constraint refunds_pkey,
  add constraint refunds_pkey primary key using index refunds_of_a_project;
