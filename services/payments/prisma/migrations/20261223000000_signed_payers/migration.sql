-- When the wallet of the payer proved by a signature that it will pay. A new column without a default changes the catalog alone.
set local lock_timeout = '5s';

alter table payment_records add column payer_signed_at timestamptz(3);
