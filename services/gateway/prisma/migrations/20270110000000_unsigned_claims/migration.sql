-- What becomes of a claim that no wallet has signed while another open payment may be meant; null for hold. A new column
-- without a default changes the catalog alone.
set local lock_timeout = '5s';

alter table projects add column unsigned_claims text;
