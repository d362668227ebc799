-- The few transfers whose block was replaced: those of them that still pay something are looked for.
create index concurrently if not exists transfers_orphaned on transfers (chain_id) where status = 'orphaned';
