alter table refund_balances
  drop constraint refund_balances_pkey,
  add constraint refund_balances_pkey primary key using index refund_balances_of_a_project;
