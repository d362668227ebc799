-- Wallets besides the recipient of a payment that may pay its refunds.
alter table projects add column payout_wallets text[] not null default '{}';
