-- A proof whose block was replaced is taken back, and its hash is verified again. The epoch counts that, so that a later
-- verdict is an event of its own.
alter table candidates
  add column epoch integer not null default 0,
  add column reorged_at timestamptz(3);

-- Up to which block the followed chain is final and was read a second time.
alter table cursors add column final_number bigint;
