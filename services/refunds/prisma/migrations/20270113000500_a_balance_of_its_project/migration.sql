-- A refund belongs to a balance of its own project.
alter table refunds
  add constraint refunds_project_id_payment_id_fkey foreign key (project_id, payment_id)
    references refund_balances (project_id, payment_id) on delete restrict on update restrict not valid;
