-- The check of a column that comes with it reads the whole table under the lock: half a second for a million payments. Here it
-- comes behind it, and reads beside the writers. Every part can be run again.
alter table payment_records add column if not exists late_decision text, add column if not exists seen_sender bytea;
alter table payment_records drop constraint if exists payments_late_decision_known;
alter table payment_records add constraint payments_late_decision_known
  check (late_decision in ('accepted', 'rejected')) not valid;
-- next part
alter table payment_records validate constraint payments_late_decision_known;
