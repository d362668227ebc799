-- What a hash that waits needs besides the chain, and what is known of open payments to decide it. New columns with a constant
-- default change the catalog alone; rows from before fit the narrower list of waits.
set local lock_timeout = '5s';

alter table candidates add column needs text, add column needs_turn integer not null default 0,
  drop constraint candidates_waits_for_known,
  add constraint candidates_waits_for_known check (waits_for in
    ('provider', 'transaction', 'block', 'depth', 'agreement', 'trace', 'claim', 'signature')) not valid;
alter table watches add column unsigned_claims text, add column cancelled boolean not null default false;
