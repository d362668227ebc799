-- What the last verification of a hash saw, so that a merchant can be told what a verdict rests on and what one waits for.
alter table candidates
  add column looked_at timestamptz(3),
  add column waits_for text,
  add column mined_block bigint,
  add column chain_head bigint,
  add column providers_agreeing smallint,
  add column providers_contradicting smallint,
  add constraint candidates_waits_for_known check (waits_for in
    ('provider', 'transaction', 'block', 'depth', 'agreement', 'trace', 'claim')) not valid;
alter table candidates validate constraint candidates_waits_for_known;
