-- A transaction belongs to an intent of its own project.
alter table signed_transactions
  add constraint signed_transactions_of_intent foreign key (project_id, mode, subject_id)
    references intents (project_id, mode, subject_id) on delete restrict on update restrict not valid;
