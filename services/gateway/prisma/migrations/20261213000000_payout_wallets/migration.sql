-- Wallets besides the recipient of a payment that may pay its refunds.
set local lock_timeout = '5s';

alter table projects add column payout_wallets text[] not null default '{}';
