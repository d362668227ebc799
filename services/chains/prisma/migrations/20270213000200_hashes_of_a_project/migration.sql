-- A subject has each hash once, in its own project and mode.
create unique index concurrently candidates_project_id_mode_subject_id_tx_hash_key
  on candidates (project_id, mode, subject_id, tx_hash);
