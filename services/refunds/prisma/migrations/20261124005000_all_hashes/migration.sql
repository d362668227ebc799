-- A refund keeps every hash that was submitted for it, says why one that moved the money does not count, and from when on
-- a transfer can be it. Rows from before have one hash at most and keep nulls; a new column breaches no check.
alter table refunds
  add column other_hashes         jsonb,
  add column held_reason          text,
  add column payment_confirmed_at timestamptz(3),
  add constraint refunds_hashes_bounded check (other_hashes is null
    or (jsonb_typeof(other_hashes) = 'array' and jsonb_array_length(other_hashes) between 1 and 5)) not valid,
  add constraint refunds_held_reason_known check (held_reason in ('predates_payment', 'transfer_already_used'))
    not valid;
