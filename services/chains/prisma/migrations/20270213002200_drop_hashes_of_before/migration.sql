-- held for the version before
drop index concurrently if exists candidates_subject_id_tx_hash_key;
