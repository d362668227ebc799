-- When the payer of an open payment proved by a signature that it will pay it. A new column without a default changes the
-- catalog alone.
set local lock_timeout = '5s';

alter table watches add column payer_signed_at timestamptz(3);
