-- The few transfers that a reorganisation may still remove, by block.
create index concurrently if not exists transfers_seen on transfers (chain_id, block_number) where status = 'seen';
