-- A refund may be paid by several wallets of its merchant.
set local lock_timeout = '5s';

alter table candidates add column other_payers jsonb;
