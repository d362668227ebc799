-- What the checkout page needs of a payment. New columns without a default change the catalog alone.
set local lock_timeout = '5s';

alter table payment_records add column return_url text, add column locale text;
