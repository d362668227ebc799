-- The books compare each allocation once, in the order of time. They are only added, so a few bytes a block suffice.
create index concurrently if not exists allocations_created_at_idx on allocations using brin (created_at);
