-- The transfers to a recipient, in the order in which they were mined.
create index concurrently if not exists transfers_recipient on transfers (recipient, chain_id, block_time);
