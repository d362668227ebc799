-- A row to lock for each payment that is confirmed for the first time. A payment that never was confirmed has none.
-- @param {Json} $1:credits
insert into wallet_credits (payment_id, base_amount, version)
select payment_id, 0, 0 from json_to_recordset($1) as input (payment_id text, base_amount numeric)
where base_amount > 0 order by payment_id
on conflict do nothing;
