create unique index concurrently signed_transactions_of_a_project
  on signed_transactions (project_id, mode, subject_id, ordinal);
